import * as v from 'valibot';
import { getEndpointUrl } from '../../../../shared/upstream/http/endpoint-url.ts';
import {
  type Check,
  fail,
  getValue,
  pass,
  type Probe,
  type ProbeResult,
  skip,
  type Variables,
  warn,
} from '../../../configuration/index.ts';

export type ModelAccess = {
  /** Without `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
};

const completionSchema = v.object({
  choices: v.pipe(
    // Models of Mistral that reason answer in parts.
    v.array(
      v.object({ message: v.object({ content: v.nullish(v.union([v.string(), v.array(v.unknown())])) }) }),
    ),
    v.minLength(1),
  ),
});

/** Why the model is not asked: a server of the older form may not understand the question. Undefined if it is asked. */
export const findReasonNotToAsk = (variables: Variables): Check | undefined =>
  getValue(variables, 'UPSTREAM_SHAPE') === 'legacy'
    ? skip('Model', 'is not asked, because UPSTREAM_SHAPE is legacy.')
    : undefined;

/**
 * Asks the model one short question, which costs some tokens. Sends no limit of tokens: reasoning counts too, and the models of
 * OpenAI from o1 on reject `max_tokens`, which other servers want in place of `max_completion_tokens`.
 */
export async function checkModel(access: ModelAccess, probe: Probe, now: () => number): Promise<Check> {
  const { baseUrl, apiKey, model } = access;
  const startedAt = now();
  const response = await probe(getEndpointUrl(baseUrl, '/v1/chat/completions').href, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: 'Reply with one word: ready' }],
    }),
  });
  return evaluateCompletion(access, response, now() - startedAt);
}

/** Evaluates the response to a chat completion that took `tookMs`. */
function evaluateCompletion({ baseUrl, model }: ModelAccess, response: ProbeResult, tookMs: number): Check {
  const name = `Model ${model}`;
  const { origin } = new URL(baseUrl);
  if (response.kind === 'unreachable')
    return fail(name, `did not answer: ${response.reason}.`, `See that ${origin} runs, and try again.`);
  const { status, json } = response;
  const completion = v.safeParse(completionSchema, json);
  if (status === 200 && completion.success)
    return pass(name, `answers: a short question took ${(tookMs / 1_000).toFixed(1)} s.`);
  if (status === 401 || status === 403)
    return fail(
      name,
      `is not allowed for this key (${status}).`,
      'Use a key that may use it: UPSTREAM_API_KEY.',
    );
  if (status === 404)
    return fail(
      name,
      'is not known to the server (404).',
      'Set UPSTREAM_MODEL to an id that GET /v1/models lists.',
    );
  if (status === 429 || status === 503)
    return warn(name, `is busy, or the key has reached its limit (${status}).`, 'Try again in a minute.');
  return fail(
    name,
    `answers a short question with status ${status} and no completion.`,
    `Ask who runs ${origin} whether the model supports POST /v1/chat/completions.`,
  );
}
