import { MAX_FACT_LENGTH, MAX_FACTS, type TurnRef } from '../domain/index.ts';
import { formatCommandName, formatDeleteFact, type Locale, localize, memoryLabel } from '../i18n/index.ts';
import { type ChatTool, ToolError, type ToolResult } from '../ports/index.ts';
import { getMessageTimeMs, truncateText } from '../utils/index.ts';
import type { FactsContext } from './context.ts';
import { toFactText } from './fact-text.ts';
import { isPrivatePlace, mayRemember } from './fact-place.ts';
import { getFactDays, getFactOwner } from './usable-facts.ts';

/** Most characters of a fact on the step of an answer. */
const MAX_SHOWN_LENGTH = 80;
const REFUSAL =
  'Not in a conversation with files, quotations or messages of others. Tell the person: they can ask for it in a new thread, or use the command memory.';

/**
 * Returns the tool with which the model stores a fact about the person who asks. Only for people with memory, and questions of their own words.
 * `hasWordsOfOthers`: earlier turns in the prompt may contain some, which could tell the model to wait for this question. Then the tool refuses.
 */
export function createRememberTools(
  turn: TurnRef,
  context: FactsContext,
  hasWordsOfOthers: boolean,
): readonly ChatTool[] {
  return [
    {
      needsOwnWords: true,
      staysInside: true,
      definition: {
        name: 'remember',
        description: `Stores one fact about the person who asks, for their later conversations. Call it if they ask you to remember something, or if they say something lasting about themselves or how they like to be answered. Not for what only this conversation needs, for other people, or for secrets such as passwords. Write it as one sentence in their language, at most ${MAX_FACT_LENGTH} characters.`,
        parameters: {
          type: 'object',
          properties: { fact: { type: 'string', description: 'The fact' } },
          required: ['fact'],
        },
      },
      prepare: ({ fact }, locale) => {
        const text = typeof fact === 'string' ? toFactText(fact) : undefined;
        if (text === undefined)
          throw new ToolError(`“fact” has to be a sentence of at most ${MAX_FACT_LENGTH} characters.`);
        return {
          title: localize(locale, 'facts.tool.title', { text: truncateText(text, MAX_SHOWN_LENGTH) }),
          status: ['facts.tool.status'],
          run: () => {
            if (hasWordsOfOthers) {
              const command = formatCommandName(memoryLabel, { platform: turn.thread.platform, locale });
              throw new ToolError(REFUSAL, localize(locale, 'facts.tool.others', { command }));
            }
            return remember(turn, text, locale, context);
          },
        };
      },
    },
  ];
}

async function remember(
  turn: TurnRef,
  text: string,
  locale: Locale,
  context: FactsContext,
): Promise<ToolResult> {
  const { thread, asker } = turn;
  const isPrivate = await isPrivatePlace(thread, context);
  if (!mayRemember(thread, isPrivate))
    throw new ToolError(
      'Nothing can be remembered here: this channel is private.',
      localize(locale, 'facts.private-place'),
    );
  const at = getMessageTimeMs(turn.message);
  // The last step before the write. What is written all the same during an erasure has the time of the question: the second pass removes it.
  const erasedAt = (await context.erasureMoments.findForPeople(thread, [asker])).get(asker) ?? 0;
  if (at <= erasedAt) throw new ToolError('The person has had their data erased since.');
  const stored = await context.facts.add(getFactOwner(turn), { text, isPrivate, at }, getFactDays(context));
  if (stored.kind !== 'stored')
    throw new ToolError(
      'The list is full: the person has to delete a fact first.',
      localize(locale, 'facts.full', { most: MAX_FACTS }),
    );
  const { id } = stored.fact;
  const command = formatDeleteFact(id, { platform: thread.platform, locale }, context.settings);
  return {
    content: `Stored. It is used ${stored.fact.isPrivate ? 'only in direct messages with this person' : 'in all later questions of this person'}. A step above the answer shows it to them, with the command that deletes it.`,
    summary: localize(locale, stored.fact.isPrivate ? 'facts.tool.stored-private' : 'facts.tool.stored', {
      command,
    }),
  };
}
