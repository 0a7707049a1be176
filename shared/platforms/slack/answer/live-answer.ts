import type { MessageId } from '../../../domain/index.ts';
import type { Step } from '../../ports/platform.ts';
import type { TextLimit } from '../../markdown/index.ts';
import type { FindOrphans } from '../posts/orphaned-messages.ts';

/** One message of an answer. Long answers have several. */
export type AnswerPart = {
  readonly index: number;
  /** Absent until it is posted. */
  id: MessageId | undefined;
  /** It was opened as a stream and may still be one: Slack then refuses to update it. */
  streaming: boolean;
  /** Its words came by a stream, so that it may hold task cards, but no table blocks. */
  native: boolean;
  /** The Markdown that people see, where that is certain. */
  seen: string | undefined;
  /** What stands around it: steps, tables, buttons. Means something only where `seen` is known. */
  face: string;
  /** The task cards of its stream, by the step's id: what they show. */
  readonly cards: Map<string, Step>;
  /** Slack finds its stream too long for what is left to add: it is ended as it is, and replaced. */
  overfull: boolean;
  /** How often Slack said that it streams, of what it would not end. */
  conflicts: number;
  /** Where in the answer's text it begins. Undefined for a message left by an earlier attempt and not reused yet. */
  from: number | undefined;
};

/** An answer as far as it is posted. Changed by the stream while the model writes, then by `finish`. */
export type LiveAnswer = {
  /** What one message of it holds of words and task cards. Less once Slack has refused more. */
  limit: TextLimit;
  /** The inert text so far: what the parts show, or will. */
  text: string;
  readonly parts: AnswerPart[];
  /** The steps so far, in their order. */
  readonly steps: Map<string, Step>;
  /** How many tables of a message are table blocks: Slack documents one, and refuses some for reasons of its own. */
  tables: number;
  /** Slack refuses the blocks around the words: they are left out. */
  bare: boolean;
  /** Slack refuses even the words as a block: they replace a message as Markdown alone, beside which its old blocks may stay. */
  withoutBlocks: boolean;
  /** Slack refuses links to its own files: they are broken. */
  unlinked: boolean;
  /** A post's outcome is unknown and was not looked up yet. */
  lookFirst: boolean;
  /** A stream that was begun since then (ms) may be one of this answer of which nothing was heard. */
  doubtfulSince: number;
  /** Posts whose outcome was unknown, and whose message was not found when it was looked for. */
  doubts: number;
  /** Messages that can no longer be edited and were replaced: they have to go. */
  readonly replaced: MessageId[];
  readonly find: () => ReturnType<FindOrphans>;
  /** Looks for messages of the answer outside of its thread. */
  readonly findLoose: () => ReturnType<FindOrphans>;
};

export function newLiveAnswer(
  existing: readonly MessageId[],
  look: Pick<LiveAnswer, 'limit' | 'find' | 'findLoose'>,
): LiveAnswer {
  return {
    text: '',
    parts: existing.map((id, index) => newPart(index, id)),
    steps: new Map(),
    tables: 1,
    bare: false,
    withoutBlocks: false,
    unlinked: false,
    lookFirst: false,
    doubtfulSince: Infinity,
    doubts: 0,
    replaced: [],
    ...look,
  };
}

export function newPart(index: number, id?: MessageId): AnswerPart {
  return {
    index,
    id,
    streaming: false,
    native: false,
    seen: undefined,
    face: '',
    cards: new Map(),
    overfull: false,
    conflicts: 0,
    from: undefined,
  };
}

export function idsOf({ parts }: LiveAnswer): MessageId[] {
  return parts.flatMap(({ id }) => (id === undefined ? [] : [id]));
}

/**
 * The steps that a part has to show: the first all of them but those that another's task cards show, the others those
 * of their own cards.
 */
export function stepsOf(part: AnswerPart, { parts }: LiveAnswer, steps: readonly Step[]): Step[] {
  if (part.index > 0) return steps.filter(({ id }) => part.cards.has(id));
  const elsewhere = parts.filter((other) => other !== part && other.native);
  return steps.filter(({ id }) => part.cards.has(id) || !elsewhere.some(({ cards }) => cards.has(id)));
}

/** What the task card of a step shows, in whichever message it stands. */
export function shownCard({ parts }: LiveAnswer, id: string): Step | undefined {
  return parts.flatMap(({ cards }) => cards.get(id) ?? []).at(-1);
}
