//! What goes in and what comes out.

use throughline_journal::{Frame, Head, Millis, Seq};
use throughline_model::Request;
use throughline_protocol::{Meta, Outcome, Refusal};
use throughline_value::Value;

/// What the rim tells the engine.
#[derive(Clone, Debug)]
pub enum Input {
    /// A command, as its JSON text so that errors have positions. [`Output::Done`] answers it.
    Execute {
        /// Comes back with the outcome.
        ticket: u64,
        /// The command.
        text: String,
        /// Who, when, why.
        meta: Meta,
    },
    /// The append is committed: durable, not merely requested.
    Appended {
        /// Which.
        append: u64,
    },
    /// Another engine appended first; the frames after the expected head, oldest first.
    Conflict {
        /// Which append was not done.
        append: u64,
        /// What came in between.
        frames: Vec<Frame>,
    },
    /// The append was not done, and trying again would not help now.
    AppendFailed {
        /// Which.
        append: u64,
        /// A stable code: `quota`, `store-closed`, …
        code: String,
        /// What to do.
        message: String,
    },
    /// Frames of another engine that follow the head.
    Foreign {
        /// Oldest first.
        frames: Vec<Frame>,
    },
    /// Something of an exchange with a model came.
    Exchange {
        /// Which.
        exchange: u64,
        /// What.
        event: ExchangeEvent,
    },
    /// A tool gave something.
    ToolResult {
        /// Which call.
        call: u64,
        /// What it gave.
        result: Result<Value, Refusal>,
    },
    /// This engine may start the effects that an earlier engine asked for and did not finish. The rim gives
    /// it after the journal is opened and no other engine is at work on it.
    Resume,
    /// The clock moved on.
    Tick,
}

/// Something of an exchange with a model.
#[derive(Clone, Debug)]
pub enum ExchangeEvent {
    /// The head of the reply.
    Head {
        /// The HTTP status.
        status: u16,
        /// The content type.
        content_type: String,
    },
    /// Bytes of the body.
    Bytes(Vec<u8>),
    /// The body is complete as far as the transport knows.
    End,
    /// The transport failed.
    Failed {
        /// A stable code.
        code: String,
        /// In words.
        message: String,
    },
}

/// What the engine asks of the rim.
#[derive(Clone, Debug)]
pub enum Output {
    /// Append this frame if the stored head is the expected one.
    Append {
        /// Comes back with the answer.
        append: u64,
        /// The head it follows.
        expected: Head,
        /// The frame.
        frame: Frame,
    },
    /// A command is through.
    Done {
        /// The command's.
        ticket: u64,
        /// What it did, or why nothing.
        outcome: Outcome,
    },
    /// Ask a model.
    Exchange {
        /// Comes back with what it gives.
        exchange: u64,
        /// The request.
        request: Request,
    },
    /// What this exchange gives is no longer wanted.
    CancelExchange {
        /// Which.
        exchange: u64,
    },
    /// Run a tool.
    Call {
        /// Comes back with the result.
        call: u64,
        /// The tool.
        tool: String,
        /// Its arguments.
        args: Value,
        /// The same for every attempt of the same effect.
        idempotency_key: String,
    },
    /// What this call gives is no longer wanted.
    CancelCall {
        /// Which.
        call: u64,
    },
    /// Give [`Input::Tick`] at this time; a later one replaces it.
    WaitUntil {
        /// When.
        at: Millis,
    },
    /// The journal grew.
    Changed {
        /// The last record.
        seq: Seq,
    },
}
