import type { Invocation, Thread, TurnRef } from '../conversation/index.ts';
import type { Platform, Stage } from './platform.ts';

/** Several platforms, or workspaces of one, as one: each call goes to the one that `pick` has for its thread. */
export function routedPlatform(pick: (thread: Omit<Thread, 'root'>) => Platform): Platform {
  const at = ({ thread }: TurnRef): Platform => pick(thread);
  return {
    status: (turn, ...rest) => at(turn).status(turn, ...rest),
    language: (turn, user) => at(turn).language(turn, user),
    leftovers: (turn) => at(turn).leftovers(turn),
    reply: (turn, ...rest) => at(turn).reply(turn, ...rest),
    noticed: (turn) => at(turn).noticed(turn),
    whisper: (turn, ...rest) => at(turn).whisper(turn, ...rest),
    overtaken: async (turn, ticket) => (await at(turn).overtaken?.(turn, ticket)) ?? false,
    withdraw: (turn, ...rest) => at(turn).withdraw(turn, ...rest),
    earlier: (turn) => at(turn).earlier(turn),
    history: (place, range) => pick(place).history(place, range),
    message: async (place, message) => pick(place).message?.(place, message),
    recorded: (turn) => at(turn).recorded?.(turn),
    gone: async (turn) => (await at(turn).gone?.(turn)) ?? false,
    described: async (place, attachment) => (await pick(place).described?.(place, attachment)) ?? attachment,
    file: (turn, attachment, mostBytes) => at(turn).file(turn, attachment, mostBytes),
  };
}

/** The same for what is shown beside answers; a call of a person goes to the one of its platform and workspace. */
export function routedStage(pick: (place: Pick<Invocation, 'platform' | 'workspace'>) => Stage): Stage {
  return {
    card: (thread, ...rest) => pick(thread).card(thread, ...rest),
    removeCard: (thread, existing, options) => pick(thread).removeCard(thread, existing, options),
    respond: (invocation, ...rest) => pick(invocation).respond(invocation, ...rest),
    working: async (thread, words) => pick(thread).working?.(thread, words),
    pressable: async (place) => (await pick(place).pressable?.(place)) ?? new Map(),
    hand: (invocation, ...rest) => pick(invocation).hand(invocation, ...rest),
    tell: (to, ...rest) => pick(to).tell(to, ...rest),
    open: (invocation, form) => pick(invocation).open(invocation, form),
    begin: (invocation, ...rest) => pick(invocation).begin(invocation, ...rest),
    link: (thread, message) => pick(thread).link(thread, message),
    upload: (thread, ...rest) => pick(thread).upload(thread, ...rest),
    uploaded: (thread, ...rest) => pick(thread).uploaded(thread, ...rest),
  };
}
