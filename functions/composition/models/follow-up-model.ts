import * as v from 'valibot';
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
  keyFor: (keyName: string | undefined, refresh: boolean) => Promise<string>,
  lookUpModel?: ChatOptions['lookUpModel'],
): Chat['suggestQuestions'] {
  return async (messages, { model, permit, signal, maxTokens, ...limits }) => {
    const { value } = await upstream.chat.structured(
      { model, messages, name: 'follow_ups', schema: SCHEMA, maxTokens },
      {
        signal,
        ...limits,
        lookUpModel,
        apiKey: (ask) => keyFor(permit?.()?.key, ask?.refresh ?? false),
      },
    );
    return v.parse(suggested, value).questions;
  };
}
