import * as v from 'valibot';
import {
  channelId,
  isPlatformName,
  messageId,
  type TurnRef,
  userId,
  workspaceId,
  type Attachment,
  type MessageId,
  type Turn,
  type UserId,
  type WorkspaceId,
} from '../../domain/index.ts';
import type { Item } from '../keys/item-keys.ts';
import { readTurnContent } from '../dynamodb/turn-compression.ts';

const text = v.object({ S: v.string() });
const number = v.pipe(
  v.object({ N: v.string() }),
  v.transform(({ N }) => Number(N)),
);

const attachments = v.array(
  v.object({ id: v.string(), name: v.string(), mimetype: v.string(), bytes: v.number() }),
);

/**
 * A turn in the `conversations` table.
 *
 *    pk    the thread                     sk      TURN#<message>, which sorts by time
 *    by,ws the asker and their workspace
 *    fence number of claims               lease   when the last claim ends (ms)
 *    untouched  the last claim that left no part of an answer
 *    waits  the last claim after which the task returned to the queue to wait    receipt  the SQS receipt handle from the last delivery, until the next claim
 *    known  the signal key that was already handled when it began to wait
 *    dead  the id of the queue message whose task was given up: it gets no claim
 *    posted  the messages of the answer
 *    body  question and outcome, compressed: present once the turn has ended
 *    from  the first turn of the prompt   n       its number in the thread
 *    ask,files  the pending question; an empty list: the message may have files that its event did not list    into    the turn that answers it with others
 *    edit  the key of the edit that the question was recorded from    live  the words so far, for a question of an integration
 *    mark,wish  the last signal and its key       rev  the last granted request to answer again
 *    gone  when the question was deleted (ms); stays when the turn ends, which removes `mark`
 *    followups  the card with follow-up questions below the answer
 *    open,due  the reason for a later check, and when (s)      attempts  how often that check could not be queued      ttl  when it expires (s)
 */
const shape = v.object({
  pk: text,
  sk: text,
  id: text,
  by: text,
  ws: text,
  fence: v.optional(number),
  lease: v.optional(number),
  untouched: v.optional(number),
  waits: v.optional(number),
  receipt: v.optional(text),
  known: v.optional(text),
  posted: v.optional(v.object({ L: v.array(text) })),
  body: v.optional(v.object({ B: v.instance(Uint8Array) })),
  from: v.optional(text),
  n: v.optional(number),
  open: v.optional(text),
  due: v.optional(number),
  ask: v.optional(text),
  files: v.optional(
    v.pipe(
      text,
      v.transform(({ S }) => v.parse(attachments, JSON.parse(S))),
    ),
  ),
  mark: v.optional(v.object({ S: v.picklist(['stopped', 'edited', 'deleted']) })),
  wish: v.optional(text),
  into: v.optional(text),
  rev: v.optional(text),
  edit: v.optional(text),
  followups: v.optional(text),
  ttl: number,
});

export type TurnItem = v.InferOutput<typeof shape>;

/** Parses an item. Throws if it is not a turn. */
export const parseTurnItem = (item: Item): TurnItem => v.parse(shape, item);

/** Returns the reference of the turn. */
export function getTurnRef(item: TurnItem): TurnRef {
  const [platform = '', workspace = '', channel = '', root = ''] = item.pk.S.split('#');
  if (!isPlatformName(platform)) throw new Error('not a turn: its key names no platform');
  return {
    thread: {
      platform,
      workspace: workspaceId(workspace),
      channel: channelId(channel),
      root: messageId(root),
    },
    message: messageId(item.id.S),
    asker: userId(item.by.S),
    askerWorkspace: workspaceId(item.ws.S),
  };
}

/** Estimates the size of an item as DynamoDB counts it, well enough to plan reads. */
export function estimateItemSize(item: TurnItem): number {
  return 150 + item.pk.S.length + item.sk.S.length + (item.body?.B.byteLength ?? 0);
}

/** A signal to the worker of a turn: what people did to the question. */
export type TurnSignal = 'stopped' | 'edited' | 'deleted';

/** The signal of a turn. `key` distinguishes signals of one kind: for an edit it is the key of its task. */
export type StoredSignal = { readonly signal: TurnSignal; readonly key: string | undefined };

/** Returns the last signal that was stored on a turn. */
export const getStoredSignal = ({ mark, wish }: Pick<TurnItem, 'mark' | 'wish'>): StoredSignal | undefined =>
  mark && { signal: mark.S, key: wish?.S };

/** A question that was not answered yet. */
export type PendingQuestion = {
  readonly turn: TurnRef;
  readonly question: string;
  /** Undefined: it has none. Empty: it may have some (`IncomingMessage.mayHaveFiles`). */
  readonly attachments: readonly Attachment[] | undefined;
};

/**
 * Returns the question of an item if it is not `turn` and is neither answered, deleted, edited nor merged. A
 * question that could not be queued is left out: it may be deleted, which its own task checks. So is a question
 * that may have part of an answer in a message of its own: only its own task completes that message.
 */
export function listPendingQuestions(item: TurnItem, turn: TurnRef): PendingQuestion[] {
  if (item.open?.S === 'unsent') return [];
  if (item.body || item.into || item.mark || !item.ask || item.id.S === turn.message) return [];
  if (item.posted || (item.fence ?? 0) !== (item.untouched ?? 0)) return [];
  return [{ turn: getTurnRef(item), question: item.ask.S, attachments: item.files }];
}

/** A claim to work on a turn: until its lease ends, and only with its fence. */
export type TurnClaim =
  | {
      readonly kind: 'held';
      readonly fence: number;
      /** No earlier attempt can have posted anything: all returned the turn untouched. */
      readonly isFirst: boolean;
      /** Messages of the answer that an earlier attempt posted. */
      readonly posted: readonly MessageId[];
      /** The card with follow-up questions, if one was posted; it may be deleted since. */
      readonly followUps: MessageId | undefined;
      /** The ended turn, if an earlier attempt got that far: it only has to be shown. */
      readonly ended: Turn | undefined;
      /** It ended, but its content cannot be read. */
      readonly unreadable: boolean;
      /** The last signal since the question was asked. */
      readonly signal: TurnSignal | undefined;
      /** The key of that signal. */
      readonly signalKey: string | undefined;
      /**
       * Set if the previous claim returned the turn to the queue to wait. `known` is the signal key that it had
       * already handled.
       */
      readonly claimAfterWait: { readonly known: string | undefined } | undefined;
      /** The turn that answers this question together with others. */
      readonly mergedInto: MessageId | undefined;
      /** The last granted request to answer again. */
      readonly revision: string | undefined;
      /** The key of the edit that the question was recorded from. */
      readonly recordedEdit: string | undefined;
      readonly asker: UserId;
      readonly askerWorkspace: WorkspaceId;
    }
  | { readonly kind: 'taken'; readonly untilMs: number }
  | { readonly kind: 'gone' };

/** Returns the claim of an item that was just claimed. */
export function claimFromItem(item: TurnItem, ref: TurnRef): TurnClaim {
  const words = item.body && readTurnContent(item.body.B);
  return {
    kind: 'held',
    fence: item.fence ?? 0,
    isFirst: item.fence === (item.untouched ?? 0) + 1,
    posted: (item.posted?.L ?? []).map(({ S }) => messageId(S)),
    followUps: item.followups && messageId(item.followups.S),
    ended: words && { message: ref.message, ...words },
    unreadable: item.body !== undefined && words === undefined,
    signal: item.mark?.S,
    signalKey: item.wish?.S,
    claimAfterWait:
      item.waits !== undefined && item.waits + 1 === item.fence ? { known: item.known?.S } : undefined,
    mergedInto: item.into && messageId(item.into.S),
    revision: item.rev?.S,
    recordedEdit: item.edit?.S,
    asker: userId(item.by.S),
    askerWorkspace: workspaceId(item.ws.S),
  };
}

/** How a turn is left whose task returns to the queue. */
export type HandBack = {
  /** For so long (ms from now) it counts as being answered. */
  readonly leaseMs: number;
  /** Nothing of an answer was shown under this claim or before. */
  readonly isUntouched: boolean;
  /** The receipt handle of the hidden message of the task: whoever signals the turn makes it visible. Undefined if it is not hidden. */
  readonly receipt: string | undefined;
  /** The key of the last signal that this claim has handled: it is not new to the next one. */
  readonly known: string | undefined;
};
