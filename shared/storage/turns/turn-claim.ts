import type { MessageId, Turn, TurnRef, UserId, WorkspaceId } from '../../domain/index.ts';
import { messageId, userId, workspaceId } from '../../domain/index.ts';
import { readWords } from '../dynamodb/turn-compression.ts';
import type { TurnItem } from './turn-item.ts';
import type { TurnSignal } from './pending-questions.ts';

/** The right to work on a turn: until `leaseMs` after it was given, and only with this fence. */
export type TurnClaim =
  | {
      readonly kind: 'held';
      readonly fence: number;
      /** Nobody before can have left anything of an answer: all who had a claim handed the turn back untouched. */
      readonly isFirst: boolean;
      /** Messages of the answer that an earlier attempt is known to have posted. */
      readonly posted: readonly MessageId[];
      /** The card with questions to ask next, if one was shown below the answer; it may be gone since. */
      readonly followUps: MessageId | undefined;
      /** The turn as it ended, if an earlier attempt got that far: all that is left is to show it. */
      readonly ended: Turn | undefined;
      /** It ended, and how can no longer be read. */
      readonly unreadable: boolean;
      /** What people did to the question since it was asked. */
      readonly mark: TurnSignal | undefined;
      /** What tells that mark from another of its kind. */
      readonly wish: string | undefined;
      /**
       * Set where the claim before left the turn waiting on the queue. `known` is what it left out of account of marks: one with
       * another `wish` was made since that work began.
       */
      readonly waited: { readonly known: string | undefined } | undefined;
      /** The turn that answers this question together with others. */
      readonly into: MessageId | undefined;
      /** The last wish to have it answered again that was granted. */
      readonly revision: string | undefined;
      readonly asker: UserId;
      readonly askerWorkspace: WorkspaceId;
    }
  | { readonly kind: 'taken'; readonly untilMs: number }
  | { readonly kind: 'gone' };

/** The claim that an item shows that was just claimed. */
export function heldClaim(item: TurnItem, ref: TurnRef): TurnClaim {
  const words = item.body && readWords(item.body.B);
  return {
    kind: 'held',
    fence: item.fence ?? 0,
    isFirst: item.fence === (item.untouched ?? 0) + 1,
    posted: (item.posted?.L ?? []).map(({ S }) => messageId(S)),
    followUps: item.followups && messageId(item.followups.S),
    ended: words && { message: ref.message, ...words },
    unreadable: item.body !== undefined && words === undefined,
    mark: item.mark?.S,
    wish: item.wish?.S,
    waited: item.waits !== undefined && item.waits + 1 === item.fence ? { known: item.known?.S } : undefined,
    into: item.into && messageId(item.into.S),
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
