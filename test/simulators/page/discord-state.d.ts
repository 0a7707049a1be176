import type { Change, Channel, Message } from '../discord/state.ts';

/** What the page keeps of the simulated Discord. */
export type DiscordPageState = { readonly messages: Map<string, Map<string, Message>> };

export function createState(): DiscordPageState;
export function applyChange(state: DiscordPageState, change: Change): void;
export function messagesFor(state: DiscordPageState, channel: string, person: string): Message[];
export function channelsFor(state: DiscordPageState, person: string): Channel[];
export function commandsIn(
  state: DiscordPageState,
  channel: Channel | undefined,
  type: number,
): { readonly name: string }[];
