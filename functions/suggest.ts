import * as z from 'zod/mini';
import type { Chat } from '../shared/flows/index.ts';
import type { createUpstream } from '../shared/upstream/index.ts';

const SCHEMA = {
  type: 'object',
  properties: { questions: { type: 'array', items: { type: 'string' }, maxItems: 3 } },
  required: ['questions'],
  additionalProperties: false,
} as const;
const suggested = z.object({ questions: z.array(z.string()) });

/** Questions that may be asked next, held to a schema. Rejects as the upstream does. */
export function suggestBy(
  upstream: ReturnType<typeof createUpstream>,
  keyFor: (slot: string | undefined, refresh: boolean) => Promise<string>,
): NonNullable<Chat['suggest']> {
  return async (messages, { model, slot, signal, deadline, beforeAttempt, onRateLimit }) => {
    const { value } = await upstream.chat.structured(
      { model, messages, name: 'follow_ups', schema: SCHEMA, maxTokens: 200 },
      {
        signal,
        deadline,
        beforeAttempt,
        onRateLimit,
        apiKey: (ask) => keyFor(slot?.()?.key, ask?.refresh ?? false),
      },
    );
    return suggested.parse(value).questions;
  };
}
