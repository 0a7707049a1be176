import { closestMatch } from 'leven';
import * as z from 'zod/mini';
import { type Check, fail, pass, warn } from './check.ts';
import type { Probe, ProbeAnswer } from './probe.ts';
import { sourceOf } from './variables.ts';

export type UpstreamSettings = {
  /** Without `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Ids by the variable that names them, such as UPSTREAM_MODEL. */
  readonly models: Readonly<Record<string, readonly string[]>>;
};

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** So many models are named where one is not listed. */
const MAX_NAMED = 5;

/** Asks the server for its models: whether it is there, takes the key, and knows the models that are configured. */
export async function checkUpstream(settings: UpstreamSettings, probe: Probe): Promise<Check[]> {
  const { baseUrl, apiKey } = settings;
  const ask = (base: string, path = '/v1/models') =>
    probe(`${base.replace(/\/+$/, '')}${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
  const answer = await ask(baseUrl);
  if (answer.kind === 'answered' && answer.status === 404) return [await wrongPath(baseUrl, ask)];
  return judgeModels(settings, answer);
}

/** What the answer to `GET /v1/models` tells. */
export function judgeModels(settings: UpstreamSettings, answer: ProbeAnswer): Check[] {
  const { origin } = new URL(settings.baseUrl);
  if (answer.kind === 'unreachable') {
    const found = `${origin} could not be reached: ${answer.reason}.`;
    const v1 = /\/v1\/?$/.test(settings.baseUrl) ? ' And leave out /v1 at its end.' : '';
    return [
      warn(
        'UPSTREAM_BASE_URL',
        found,
        `Until it can be, no question can be answered: see that it runs.${v1}`,
      ),
    ];
  }
  const { status, json, headers, html } = answer;
  if (status === 401)
    return [fail('UPSTREAM_API_KEY', `${origin} refuses the key (401).`, sourceOf('UPSTREAM_API_KEY'))];
  if (status === 403)
    return [
      warn('UPSTREAM_API_KEY', `${origin} does not let the key list models (403).`, 'It may still answer.'),
    ];
  if (status >= 300 && status < 400) {
    const found = `${origin} redirects (${status}). Parley does not follow redirects with a key.`;
    return [fail('UPSTREAM_BASE_URL', found, `Enter the target of the redirect: ${elsewhere(headers)}.`)];
  }
  const list = modelList.safeParse(json);
  if (list.success)
    return judgeIds(
      settings,
      list.data.data.map(({ id }) => id),
    );
  const what = html ? 'a web page' : `status ${status} and no list of models`;
  const found = `${origin} answers GET /v1/models with ${what}.`;
  const fix =
    'See that this is the address of the chat-completions server, without /v1; its models were not checked.';
  return [warn('UPSTREAM_BASE_URL', found, fix)];
}

function judgeIds({ models, baseUrl }: UpstreamSettings, listed: readonly string[]): Check[] {
  const checks = Object.entries(models).flatMap(([variable, ids]) =>
    ids
      .filter((id) => listed.length > 0 && !listed.includes(id))
      .map((id) => {
        const near = closestMatch(id, listed, { maxDistance: Math.ceil(id.length / 3) });
        const named = [...listed.slice(0, MAX_NAMED), ...(listed.length > MAX_NAMED ? ['…'] : [])].join(', ');
        const fix = near === undefined ? `It lists: ${named}.` : `Did you mean ${near}? It lists: ${named}.`;
        return warn(variable, `the server does not list the model ${id}.`, fix);
      }),
  );
  return checks.length > 0 ? checks : [pass('UPSTREAM_BASE_URL', `${new URL(baseUrl).origin} answers.`)];
}

/** Of a 404, looks for the address that was meant. */
async function wrongPath(
  baseUrl: string,
  ask: (base: string, path?: string) => Promise<ProbeAnswer>,
): Promise<Check> {
  const { origin, pathname } = new URL(baseUrl);
  const trimmed = baseUrl.replace(/\/+$/, '');
  const others = [trimmed.replace(/\/v1(?:\/.*)?$/, ''), origin].filter(
    (other, index, all) => other !== trimmed && all.indexOf(other) === index,
  );
  for (const other of others) {
    const answer = await ask(other);
    const isThere =
      answer.kind === 'answered' && (answer.status === 401 || modelList.safeParse(answer.json).success);
    if (!isThere) continue;
    const found = `there is nothing at ${pathname} of ${origin} (404), but there is a server at ${other}.`;
    return fail('UPSTREAM_BASE_URL', found, `UPSTREAM_BASE_URL=${other}`);
  }
  const chat = await ask(baseUrl, '/v1/chat/completions');
  if (chat.kind === 'answered' && chat.status !== 404)
    return warn(
      'UPSTREAM_MODEL',
      'the server lists no models (404).',
      'Whether it knows the model shows with the first question.',
    );
  const found = `${origin} answers 404 to GET ${pathname.replace(/\/+$/, '')}/v1/models and /v1/chat/completions.`;
  const fix = `Unless it lists no models, this is not the address. ${sourceOf('UPSTREAM_BASE_URL')}`;
  return warn('UPSTREAM_BASE_URL', found, fix);
}

/** Where a redirect leads, without what stands behind the origin, which may be anything. */
function elsewhere(headers: Headers): string {
  const url = URL.parse(headers.get('location') ?? '');
  return url === null
    ? 'the server does not say where to'
    : url.origin + url.pathname.replace(/\/v1\/models$/, '');
}
