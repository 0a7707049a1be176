import type { GcraRule, Waiter } from '../../rate-limits/index.ts';
import type { ExtraWrite } from '../dynamodb/update-parts.ts';

/** The request of a person, by the hash of their name. Without a person it counts for no share. */
export type WaitingRequest = {
  /** The id of the request, without spaces: its position is kept until its turn, and is found by the id. */
  readonly id?: string | undefined;
  readonly person?: string | undefined;
  readonly weight: number;
  /** When the question was asked (ms since 1970). */
  readonly requestedAtMs: number;
  /** The request continues an answer: it comes before others, and counts for no share. */
  readonly isContinuation: boolean;
};

/** A position in the wait queue of a key. */
export type QueuePosition = {
  readonly key: string;
  readonly rule: GcraRule;
  readonly waiter: Waiter;
  /** The position stays valid without a process until its turn. */
  readonly isKept: boolean;
};

/** A permit. `undo` removes what was stored about its person. */
export type Grant = { readonly undo?: ExtraWrite | undefined };

/** Either the request may be sent now, or `ahead` others come before and the position is to be polled again after `waitMs`. */
export type PositionStatus = ({ readonly sent: true } & Grant) | WaitingPosition;
export type WaitingPosition = {
  readonly sent: false;
  readonly place: QueuePosition;
  readonly waitMs: number;
  readonly ahead: number;
};
