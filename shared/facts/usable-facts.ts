import { type Fact, type FactOwner, isDirectMessage, type Thread, type TurnRef } from '../domain/index.ts';
import { hasMemory, resolveSetting } from '../settings/rules/index.ts';
import { getErrorFacts } from '../utils/index.ts';
import { type ChannelFact, listChannelFacts } from './channel-facts.ts';
import type { FactsContext } from './context.ts';

/** The facts that an answer may use. */
export type UsableFacts = {
  readonly person: readonly Fact[];
  readonly channel: readonly ChannelFact[];
};

export const NO_FACTS: UsableFacts = { person: [], channel: [] };

/** The most characters of the facts of a person in a prompt. The newest come first; the others stay out. */
const MAX_PROMPT_CHARACTERS = 4_000;

/** Returns whose facts are used for a turn. */
export const getFactOwner = ({ thread, asker }: Pick<TurnRef, 'thread' | 'asker'>): FactOwner => ({
  platform: thread.platform,
  workspace: thread.workspace,
  user: asker,
});

/** The retention of facts: that of messages, where administrators set one for the workspace. Facts are of no channel. */
export const getFactDays = ({ settings }: Pick<FactsContext, 'settings'>): number | undefined =>
  resolveSetting(['workspace', 'deployment'], 'retentionDays', settings.layers).value;

/** Returns which of a person's facts may be used in a thread: those that were learned in private only in a direct message. */
const selectFacts = (facts: readonly Fact[], thread: Thread): readonly Fact[] =>
  isDirectMessage(thread) ? facts : facts.filter(({ isPrivate }) => !isPrivate);

/** Returns the newest facts that fit into a prompt, oldest first. */
export function fitFacts(facts: readonly Fact[]): readonly Fact[] {
  let room = MAX_PROMPT_CHARACTERS;
  return facts
    .toReversed()
    .filter(({ text }) => (room -= text.length) >= 0)
    .toReversed();
}

/**
 * Loads the facts that the answer to a question may use, where memory is allowed. Reads only if the person turned memory on. Never rejects: without the table the
 * question is answered without them.
 */
export async function loadFacts(
  turn: Pick<TurnRef, 'thread' | 'asker'>,
  context: Pick<FactsContext, 'facts' | 'settings' | 'log'>,
): Promise<UsableFacts> {
  const { layers } = context.settings;
  const channel = listChannelFacts(layers);
  if (!hasMemory(layers)) return { person: [], channel };
  try {
    const all = await context.facts.list(getFactOwner(turn), getFactDays(context));
    return { person: fitFacts(selectFacts(all, turn.thread)), channel };
  } catch (error) {
    context.log('facts.unavailable', getErrorFacts(error));
    return { person: [], channel };
  }
}
