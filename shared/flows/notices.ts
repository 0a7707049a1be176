/** What the bot itself says at the end of an answer, so that it is not mistaken for the model's words. */
export const EMPTY = '_The model ended without an answer. Ask again, perhaps in other words._';
export const CUT = '_The answer reached the longest length allowed. Say “go on” for the rest._';
export const FULL = '_The model’s memory is full here. Say “go on” for the rest, or begin a new thread._';
/** To a person who called the bot without a word. */
export const GREETING =
  'Hi! Ask me something: mention me with a question, here or in any thread, or write to me directly. I remember what was said in a thread, and I read pictures, PDFs and text files that come with a question.';

/** To a person who pressed Stop. `exact` is false where part of the count is an estimate. */
export function stoppedNotice(tokens: number, exact: boolean): string {
  if (tokens === 0) return '_Stopped before the first word._';
  const count = `${tokens.toLocaleString('en-US')} token${tokens === 1 ? '' : 's'}`;
  return `_Stopped after ${exact ? '' : 'about '}${count}._`;
}

const STOPPED = /\n*_Stopped (?:before the first word|after (?:about )?[\d,]+ tokens?)\._$/u;

/** An answer without the sentence that says it was cut, or stopped, or that its context is full. */
export function withoutNotice(text: string): string {
  const notice = [CUT, FULL].find((one) => text.endsWith(one));
  return notice ? text.slice(0, -notice.length).trimEnd() : text.replace(STOPPED, '');
}
