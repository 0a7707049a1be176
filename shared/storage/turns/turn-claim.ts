import {
  type MessageId,
  type Turn,
  type TurnRef,
  type UserId,
  type WorkspaceId,
  messageId,
  userId,
  workspaceId,
} from '../../domain/index.ts';
import { readTurnContent } from '../dynamodb/turn-compression.ts';
import type { TurnItem, TurnSignal } from './turn-item.ts';

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
      readonly waited: { readonly known: string | undefined } | undefined;
      /** The turn that answers this question together with others. */
      readonly mergedInto: MessageId | undefined;
      /** The last granted request to answer again. */
      readonly revision: string | undefined;
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
    waited: item.waits !== undefined && item.waits + 1 === item.fence ? { known: item.known?.S } : undefined,
    mergedInto: item.into && messageId(item.into.S),
    revision: item.rev?.S,
    asker: userId(item.by.S),
    askerWorkspace: workspaceId(item.ws.S),
  };
}

/** How a turn is left whose task goes back to the queue. */
export type HandBack = {
  /** Until then it counts as being answered (ms from now). */
  readonly leaseMs: number;
  /** Nothing of an answer was shown under this claim or before. */
  readonly isUntouched: boolean;
  /**
   * Its task waits: `receipt` is that of its message, by which it is shown again as soon as somebody marks the turn; the mark whose wish is `known`
   * is no news to whoever takes the turn next.
   */
  readonly waits?: { readonly receipt: string | undefined; readonly known: string | undefined } | undefined;
};
