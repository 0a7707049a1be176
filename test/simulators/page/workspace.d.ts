import type { Change, Message } from '../slack/state.ts';

/** What the page keeps; the same maps as the simulator's own state. */
export type PageState = {
  readonly channels: Map<string, unknown>;
  readonly messages: Map<string, Map<string, Message>>;
  readonly statuses: Map<string, unknown>;
  readonly sessions: Map<string, unknown>;
  readonly files: Map<string, unknown>;
  readonly views: Map<string, unknown>;
  stoppable: boolean;
  bot: { readonly id: string; readonly name: string };
  users: readonly { readonly id: string; readonly name: string }[];
};

export function createState(): PageState;
export function applyChange(state: PageState, change: Change): void;
export function topLevel(
  state: PageState,
  channel: string,
  person: string,
): { message: Message; replies: Message[] }[];
export function threadOf(state: PageState, channel: string, root: string, person: string): Message[];
export function asSeenBy(message: Message, person: string, now: number): Message;
export function isStoppable(
  state: PageState,
  channel: string,
  root: string | undefined,
  now: number,
): boolean;
export function typedAgain(state: Pick<PageState, 'bot' | 'users'>, text: string): string;
