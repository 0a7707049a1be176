import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import type { Probe } from '../../../../../infra/configuration/index.ts';
import { checkModel } from '../../../../../infra/parley/doctor/checks/check-model.ts';

const ACCESS = { baseUrl: 'https://models.example.com', apiKey: 'the-key', model: 'ours' };
const TIMES = [1_000, 3_500];

/** What the models of OpenAI from o1 on respond to `max_tokens`. */
const MAX_TOKENS_REJECTED = {
  error: {
    message:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    type: 'invalid_request_error',
    param: 'max_tokens',
    code: 'unsupported_parameter',
  },
};
/** How many tokens a model may reason before it writes a word. */
const REASONING_TOKENS = 1_000;
const bodySchema = v.object({
  max_tokens: v.optional(v.number()),
  max_completion_tokens: v.optional(v.number(), Infinity),
});

/** A model that reasons, and rejects `max_tokens`. */
const askReasoningModel: Probe = async (_, { body = '' } = {}) => {
  const { max_tokens: limit, max_completion_tokens: room } = v.parse(bodySchema, JSON.parse(body));
  const content = room < REASONING_TOKENS ? null : 'ready';
  const json = limit === undefined ? { choices: [{ message: { content } }] } : MAX_TOKENS_REJECTED;
  return {
    kind: 'answered',
    status: limit === undefined ? 200 : 400,
    headers: new Headers(),
    json,
    html: false,
    receivedAt: 0,
  };
};

test('a model that answers in parts, as those of Mistral that reason, passes', async () => {
  const content = [
    { type: 'thinking', thinking: [] },
    { type: 'text', text: 'ready' },
  ];
  const json = { choices: [{ message: { content } }] };
  const probe: Probe = async () => ({
    kind: 'answered',
    status: 200,
    headers: new Headers(),
    json,
    html: false,
    receivedAt: 0,
  });
  expect(await checkModel(ACCESS, probe, () => 0)).toMatchObject({ result: 'pass' });
});

test('a model that reasons, and rejects max_tokens, passes', async () => {
  const times = TIMES.values();
  expect(await checkModel(ACCESS, askReasoningModel, () => times.next().value ?? 0)).toEqual({
    name: 'Model ours',
    result: 'pass',
    finding: 'answers: a short question took 2.5 s.',
  });
});
