//! The words of the large views; they are loaded with them.

use super::table::words;

words! {
    // Compare.
    compare_title: "Two moments", "两个时刻";
    compare_none: "Nothing differs between records {a} and {b}.", "记录 {a} 与 {b} 之间没有差异。";
    compare_hint: "Mark a record as A, then look at another one: what differs between them is listed here.",
        "先将一条记录标为 A，再查看另一条；两者的差异会列在这里。";
    compare_mark: "Mark this record as A", "将此记录标为 A";

    // Model.
    prompt_title: "Prompt", "提示词";
    prompt_hint: "Load a domain to see the exact bytes that a model would be given at this record.",
        "载入领域后，即可查看模型在此记录处会收到的确切内容。";
    prompt_left_out: "Left out", "未包含";
    prompt_tokens: "Tokens by section (estimated)", "各部分的词元数（估算）";
}
