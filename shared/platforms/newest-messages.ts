import type { ThreadMessage } from './ports/index.ts';

/** The most characters of the messages before a question, with the names of their authors. */
const MAX_CHARACTERS = 12_000;

/** Keeps the newest messages that fit as a whole. The newest one is cut if it does not fit. Takes and returns the oldest first. */
export function keepNewestMessages(messages: readonly ThreadMessage[]): ThreadMessage[] {
  const newestMessages: ThreadMessage[] = [];
  let room = MAX_CHARACTERS;
  for (const message of messages.toReversed()) {
    room -= message.author.length + message.text.length;
    if (room >= 0) newestMessages.unshift(message);
    else if (newestMessages.length > 0) break;
    else return [{ ...message, text: `${message.text.slice(0, room - 1).toWellFormed()}…` }];
  }
  return newestMessages;
}
