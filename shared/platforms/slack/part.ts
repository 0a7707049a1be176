import type { MessageId } from '../../conversation/index.ts';
import type { FindLeftovers } from './leftovers.ts';

/** One message of an answer. Long answers have several. */
export type Part = {
  readonly index: number;
  /** Absent until it is posted. */
  id: MessageId | undefined;
  /** It was opened as a stream and may still be one: Slack then refuses to update it. */
  streaming: boolean;
  /** What people see, where that is certain. */
  seen: string | undefined;
  /** Where in the answer's text it begins. Undefined for a message left by an earlier attempt and not reused yet. */
  from: number | undefined;
};

/** An answer as far as it is posted. Changed by the stream while the model writes, then by `finish`. */
export type Answer = {
  /** The inert text so far: what the parts show, or will. */
  text: string;
  readonly parts: Part[];
  /** A post's outcome is unknown and was not looked up yet. */
  lookFirst: boolean;
  /** Posts whose outcome was unknown, and whose message was not found when it was looked for. */
  doubts: number;
  /** Messages that can no longer be edited and were replaced: they have to go. */
  readonly replaced: MessageId[];
  readonly find: () => ReturnType<FindLeftovers>;
};

export function newPart(index: number, id?: MessageId): Part {
  return { index, id, streaming: false, seen: undefined, from: undefined };
}

export function idsOf({ parts }: Answer): MessageId[] {
  return parts.flatMap(({ id }) => (id === undefined ? [] : [id]));
}
