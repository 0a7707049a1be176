import * as v from 'valibot';
import type { Usage } from '../../../shared/domain/index.ts';
import type { Chat } from '../../../shared/ports/index.ts';
import type { ChatOptions, createUpstream } from '../../../shared/upstream/index.ts';

const SCHEMA = {
  type: 'object',
  properties: { questions: { type: 'array', items: { type: 'string' }, maxItems: 3 } },
  required: ['questions'],
  additionalProperties: false,
} as const;
const suggested = v.object({ questions: v.array(v.string()) });

/** Requests follow-up questions in a JSON schema. Rejects as the upstream does. */
export function createSuggestQuestions(
  upstream: ReturnType<typeof createUpstream>,
  keyFor: (permit: string | undefined, refresh: boolean) => Promise<string>,
  lookUpModel?: ChatOptions['lookUpModel'],
): Chat['suggestQuestions'] {
  return async (messages, { model, permit, signal, maxTokens, ...limits }) => {
    const { value, completions } = await upstream.chat.structured(
      { model, messages, name: 'follow_ups', schema: SCHEMA, maxTokens },
      {
        signal,
        ...limits,
        lookUpModel,
        apiKey: (ask) => keyFor(permit?.()?.key, ask?.refresh ?? false),
      },
    );
    const { questions } = v.parse(suggested, value);
    return { questions, usage: sum(completions.map(({ usage }) => usage)) };
  };
}

/** The total usage; undefined if one request reported none. */
const sum = (all: readonly (Usage | undefined)[]): Usage | undefined =>
  all.reduce(
    (one, other) =>
      one &&
      other && {
        promptTokens: one.promptTokens + other.promptTokens,
        completionTokens: one.completionTokens + other.completionTokens,
        reasoningTokens: one.reasoningTokens + other.reasoningTokens,
        cachedTokens: one.cachedTokens + other.cachedTokens,
      },
  );
