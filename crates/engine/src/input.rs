//! What goes in and what comes out.

use throughline_agent::turns::ExchangeFinished;
use throughline_journal::{Frame, Head, Millis, Seq};
use throughline_model::{Request, Scrubber, Usage, Wire};
use throughline_protocol::session::DeltaPush;
use throughline_protocol::{Command, Meta, Outcome, Prices, Refusal};
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
    /// A command that was made here and not written down, which costs much for a large one. [`Output::Done`] answers
    /// it.
    Command {
        /// Comes back with the outcome.
        ticket: u64,
        /// The command.
        command: Box<Command>,
        /// Who, when, why.
        meta: Meta,
    },
    /// A command that comes with something that cannot be read: it is refused, on record.
    Refuse {
        /// Comes back with the outcome.
        ticket: u64,
        /// The command.
        text: String,
        /// What is wrong.
        refusal: Box<Refusal>,
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
    /// An exchange is over, as it was recorded: what a fork reuses.
    ExchangeFinished {
        /// Which.
        exchange: u64,
        /// What it gave.
        finished: Box<ExchangeFinished>,
    },
    /// A tool gave something.
    ToolResult {
        /// Which call.
        call: u64,
        /// What it gave.
        result: Result<Value, Refusal>,
    },
    /// The frames that [`Output::Load`] asked for.
    Loaded {
        /// Each whole.
        frames: Vec<Frame>,
    },
    /// This engine may start the effects that an earlier engine asked for and did not finish. The rim gives
    /// it after the journal is opened and no other engine is at work on it.
    Resume,
    /// The clock moved on. When it moved far, nothing ran meanwhile: what fell due was missed.
    Tick,
    /// The session's own clock was set while it was awake: what fell due is late, but was not missed.
    ClockSet,
}

/// Something of an exchange with a model.
#[derive(Clone, Debug)]
pub enum ExchangeEvent {
    /// Which way it goes; before the head. Without it, the reply is a chat completion of nobody in particular.
    Via(Via),
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

/// Which way an exchange goes.
#[derive(Clone, Debug, Default)]
pub struct Via {
    /// How the reply is written.
    pub wire: Wire,
    /// The provider; empty for a recording.
    pub provider: String,
    /// The model's name at the provider.
    pub model: String,
    /// The attempts of the transport so far.
    pub attempts: u32,
    /// What its tokens cost.
    pub prices: Option<Prices>,
    /// What must not be recorded.
    pub scrubber: Scrubber,
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
        /// What the turn has taken so far.
        spent: Usage,
    },
    /// A piece of a reply, for showing while it comes.
    Delta(DeltaPush),
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
    /// Store these frames of the journal again, by their numbers: something of them was erased. What is answered
    /// after it waits for that.
    Erase {
        /// Which.
        frames: Vec<u64>,
    },
    /// Read these frames from the store; what is to be decided waits for [`Input::Loaded`].
    Load {
        /// Which.
        frames: Vec<u64>,
    },
    /// The journal grew.
    Changed {
        /// The last record.
        seq: Seq,
        /// Whether another engine appended it.
        foreign: bool,
    },
}
