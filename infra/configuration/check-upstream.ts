import { closestMatch } from 'leven';
import { getEndpointUrl } from '../../shared/upstream/http/endpoint-url.ts';
import { parseModels } from '../../shared/upstream/models/model.ts';
import { type Check, fail, pass, warn } from './check.ts';
import type { Probe, ProbeResult } from './probe.ts';
import { describeSource } from './variables.ts';

export type UpstreamSettings = {
  /** With or without `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Model ids by variable name, such as UPSTREAM_MODEL. */
  readonly models: Readonly<Record<string, readonly string[]>>;
};

/** A server answers an incomplete request so, once it has accepted the key, or before it looks at it. */
const REQUEST_REJECTED: ReadonlySet<number> = new Set([400, 422]);
const KEY_REJECTED: ReadonlySet<number> = new Set([401, 403]);

/** Maximum number of models to list in a message. */
const MAX_LISTED_MODELS = 5;

/** Requests the model list: checks that the server is reachable, accepts the key, and has the configured models. */
export async function checkUpstream(settings: UpstreamSettings, probe: Probe): Promise<Check[]> {
  const { baseUrl, apiKey } = settings;
  const requestModels = (base: string, path = '/v1/models') =>
    probe(getEndpointUrl(base, path).href, { headers: { authorization: `Bearer ${apiKey}` } });
  const response = await requestModels(baseUrl);
  if (response.kind === 'answered' && response.status === 404)
    return [await findCorrectUrl(baseUrl, requestModels)];
  if (response.kind === 'answered' && response.status === 401)
    return [await checkRefusedKey(settings, probe)];
  return evaluateModels(settings, response);
}

/**
 * After a 401 for the list, asks whether the key may chat: some keys may not list models, and some lists want the key in another header
 * (Anthropic). The request is empty, so a server that accepts the key rejects the request, which costs nothing. So does one that looks at the
 * request first: only a server that refuses a wrong key has accepted this one.
 */
async function checkRefusedKey({ baseUrl, apiKey }: UpstreamSettings, probe: Probe): Promise<Check> {
  const { origin } = new URL(baseUrl);
  const chatIs = async (expected: ReadonlySet<number>, key: string): Promise<boolean> => {
    const chat = await probe(getEndpointUrl(baseUrl, '/v1/chat/completions').href, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{}',
    });
    return chat.kind === 'answered' && expected.has(chat.status);
  };
  return (await chatIs(REQUEST_REJECTED, apiKey)) && (await chatIs(KEY_REJECTED, toWrongKey(apiKey)))
    ? warn('UPSTREAM_API_KEY', `${origin} does not let the key list models (401).`, 'It may still answer.')
    : fail('UPSTREAM_API_KEY', `${origin} refuses the key (401).`, describeSource('UPSTREAM_API_KEY'));
}

/** Returns a key of the same form, as some servers look at that first. */
const toWrongKey = (apiKey: string): string => apiKey.slice(0, 6).padEnd(Math.max(apiKey.length, 12), 'x');

/** Evaluates the response to `GET /v1/models`, except 401 and 404. */
function evaluateModels(settings: UpstreamSettings, response: ProbeResult): Check[] {
  const { origin } = new URL(settings.baseUrl);
  if (response.kind === 'unreachable') {
    const finding = `${origin} could not be reached: ${response.reason}.`;
    return [
      warn('UPSTREAM_BASE_URL', finding, 'Until it can be, no question can be answered: see that it runs.'),
    ];
  }
  const { status, json, headers, html } = response;
  if (status === 403)
    return [
      warn('UPSTREAM_API_KEY', `${origin} does not let the key list models (403).`, 'It may still answer.'),
    ];
  if (status >= 300 && status < 400) {
    const finding = `${origin} redirects (${status}). Parley does not follow redirects with a key.`;
    return [
      fail('UPSTREAM_BASE_URL', finding, `Enter the target of the redirect: ${getRedirectTarget(headers)}.`),
    ];
  }
  const list = parseModels(json);
  if (list !== undefined)
    return evaluateModelIds(
      settings,
      list.map(({ id }) => removePrefix(id)),
    );
  const content = html ? 'a web page' : `status ${status} and no list of models`;
  const path = getEndpointUrl(settings.baseUrl, '/v1/models').pathname;
  const finding = `${origin} answers GET ${path} with ${content}.`;
  const fix = 'See that this is the address of the chat-completions server; its models were not checked.';
  return [warn('UPSTREAM_BASE_URL', finding, fix)];
}

/** Gemini lists its models as `models/…`, and knows them without that too. */
const removePrefix = (id: string): string => id.replace(/^models\//, '');

function evaluateModelIds({ models, baseUrl }: UpstreamSettings, listed: readonly string[]): Check[] {
  const checks = Object.entries(models).flatMap(([variable, ids]) =>
    ids
      .filter((id) => listed.length > 0 && !listed.includes(removePrefix(id)))
      .map((id) => {
        const closest = closestMatch(id, listed, { maxDistance: Math.ceil(id.length / 3) });
        const listedNames = [
          ...listed.slice(0, MAX_LISTED_MODELS),
          ...(listed.length > MAX_LISTED_MODELS ? ['…'] : []),
        ].join(', ');
        const fix =
          closest === undefined
            ? `It lists: ${listedNames}.`
            : `Did you mean ${closest}? It lists: ${listedNames}.`;
        return warn(variable, `the server does not list the model ${id}.`, fix);
      }),
  );
  return checks.length > 0 ? checks : [pass('UPSTREAM_BASE_URL', `${new URL(baseUrl).origin} answers.`)];
}

/** After a 404, searches for the correct URL. */
async function findCorrectUrl(
  baseUrl: string,
  requestModels: (base: string, path?: string) => Promise<ProbeResult>,
): Promise<Check> {
  const { origin, pathname } = new URL(baseUrl);
  const trimmed = baseUrl.replace(/\/+$/, '');
  const others = [trimmed.replace(/\/v1(?:\/.*)?$/, ''), origin].filter(
    (other, index, all) => other !== trimmed && all.indexOf(other) === index,
  );
  for (const other of others) {
    const response = await requestModels(other);
    const isThere =
      response.kind === 'answered' && (response.status === 401 || parseModels(response.json) !== undefined);
    if (!isThere) continue;
    const finding = `there is nothing at ${pathname} of ${origin} (404), but there is a server at ${other}.`;
    return fail('UPSTREAM_BASE_URL', finding, `UPSTREAM_BASE_URL=${other}`);
  }
  const chat = await requestModels(baseUrl, '/v1/chat/completions');
  if (chat.kind === 'answered' && chat.status !== 404)
    return warn(
      'UPSTREAM_MODEL',
      'the server lists no models (404).',
      'The first question will show whether the server has this model.',
    );
  const [models, completions] = ['/v1/models', '/v1/chat/completions'].map(
    (path) => getEndpointUrl(baseUrl, path).pathname,
  );
  const finding = `${origin} answers 404 to GET ${models} and ${completions}.`;
  const fix = `Unless it lists no models, this is not the address. ${describeSource('UPSTREAM_BASE_URL')}`;
  return warn('UPSTREAM_BASE_URL', finding, fix);
}

/** Returns the redirect target without its query. */
function getRedirectTarget(headers: Headers): string {
  const url = URL.parse(headers.get('location') ?? '');
  return url === null
    ? 'the server does not say where to'
    : url.origin + url.pathname.replace(/(?:\/v1)?\/models$/, '');
}
