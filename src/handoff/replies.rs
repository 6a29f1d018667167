//! Which replies of a script answer the request (handoff.md H3.4, H7.3).

use crate::agent::{Part, PartContent, Script, ScriptReply};
use crate::message::{ContentBlock, Ending, Message};

/// Leaves out the replies at the beginning that the branch already holds, in their order: a script may be that of the
/// whole session. The last reply always stays.
pub(super) fn unanswered(mut script: Script, branch: impl IntoIterator<Item = Message>) -> Script {
    let mut answered = 0;
    for message in branch {
        if answered + 1 >= script.replies.len() {
            break;
        }
        if is_reply(&script.replies[answered], &message) {
            answered += 1;
        }
    }
    script.replies.drain(..answered);
    script
}

/// The last reply, and the failed requests right before it: a side request takes one answer.
pub(super) fn last_answer(mut script: Script) -> Script {
    let replies = &script.replies;
    let failed_before = replies.iter().rev().skip(1).take_while(|reply| reply.failure.is_some()).count();
    let from = replies.len().saturating_sub(1 + failed_before);
    script.replies.drain(..from);
    script
}

fn is_reply(reply: &ScriptReply, message: &Message) -> bool {
    if reply.failure.is_some() {
        return message.ending() == Ending::Failed;
    }
    let mut blocks = message.blocks().into_iter();
    reply.parts.len() == blocks.len()
        && reply.parts.iter().all(|part| blocks.next().is_some_and(|block| is_part(part, &block)))
}

fn is_part(part: &Part, block: &ContentBlock) -> bool {
    match (&part.content, block) {
        (PartContent::Text(text), ContentBlock::Text(own)) => text == own,
        (PartContent::Thinking(text), ContentBlock::Thinking(own)) => text == own,
        (PartContent::Tool { name, arguments, .. }, ContentBlock::ToolCall(call)) => {
            *name == call.name && arguments.stringify() == call.arguments.stringify()
        }
        _ => false,
    }
}
