import type { Change, Message } from '../slack/state.ts';

/** What the page keeps; the same maps as the simulator's own state. */
export type PageState = {
  readonly channels: Map<string, unknown>;
  readonly messages: Map<string, Map<string, Message>>;
  readonly statuses: Map<string, unknown>;
};

export function createState(): PageState;
export function applyChange(state: PageState, change: Change): void;
export function topLevel(
  state: PageState,
  channel: string,
  person: string,
): { message: Message; replies: Message[] }[];
export function threadOf(state: PageState, channel: string, root: string, person: string): Message[];
