import type { MessageId } from '../../../domain/index.ts';
import type { Step } from '../../ports/platform.ts';
import type { FindOrphans } from './orphaned-messages.ts';

/** One message of an answer. Long answers have several. */
export type AnswerPart = {
  readonly index: number;
  /** Absent until it is posted. */
  id: MessageId | undefined;
  /** How many messages of this part were deleted by others before. */
  nth: number;
  /** All that people see, where that is certain. */
  seen: string | undefined;
  /** Where in the answer's text it begins. Undefined for a message left by an earlier attempt and not reused yet. */
  from: number | undefined;
};

/** An answer as far as it is posted. Changed by the stream while the model writes, then by `finish`. */
export type LiveAnswer = {
  /** The text that the parts show, or will: inert, tables drawn. */
  text: string;
  readonly parts: AnswerPart[];
  readonly steps: Map<string, Step>;
  /** How the files of the answer get to people: beside its words, or, where the bot may not attach any, otherwise. */
  files: 'attached' | 'direct-message' | 'left-out';
  /** Discord refuses what stands under the words: it is left out. */
  bare: boolean;
  /** Posts whose outcome is unknown and was not found out. */
  doubts: number;
  /** Messages that can no longer be edited and were replaced: they have to go. */
  readonly replaced: MessageId[];
  readonly find: () => ReturnType<FindOrphans>;
};

export function newLiveAnswer(existing: readonly MessageId[], find: LiveAnswer['find']): LiveAnswer {
  return {
    text: '',
    parts: existing.map((id, index) => newPart(index, id)),
    steps: new Map(),
    files: 'attached',
    bare: false,
    doubts: 0,
    replaced: [],
    find,
  };
}

export function newPart(index: number, id?: MessageId): AnswerPart {
  return { index, id, nth: 0, seen: undefined, from: undefined };
}

export function idsOf({ parts }: LiveAnswer): MessageId[] {
  return parts.flatMap(({ id }) => (id === undefined ? [] : [id]));
}
