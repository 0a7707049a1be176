import { DiscordApiError } from '../../shared/platforms/discord/index.ts';
import type { createRestCall } from '../../shared/platforms/discord/index.ts';
import { type createWebCall, SlackApiError } from '../../shared/platforms/slack/index.ts';
import type { Discord } from '../simulators/discord/index.ts';
import { isJson, parsed } from '../simulators/discord/json.ts';
import { RefusalError } from '../simulators/discord/refusal.ts';
import { fileAt } from '../simulators/discord/cdn.ts';
import { routeFor } from '../simulators/discord/routes/index.ts';
import { fill } from '../simulators/slack/uploads.ts';
import { ACTOR, type AccessChecker } from './access-checker.ts';
import type { SlackTenant } from './slack-tenants.ts';

type Gate = () => Promise<void>;

/** A method that only identifies the token; it reads and writes nothing in the workspace. */
const OWN_NAME = 'auth.test';

/** A Slack Web API request, compared with the model: its token must be that of the workspace it is meant for. */
function callIn(
  tenants: readonly SlackTenant[],
  checker: AccessChecker,
  method: string,
  args: Readonly<Record<string, unknown>>,
  token: string,
) {
  const tenant = workspaceOf(tenants, token);
  const actor = ACTOR.getStore();
  checker.checks += 1;
  if (actor && tenant && tenant.tenant !== actor.tenant && method !== OWN_NAME)
    checker.fail(`${method}: the token of ${tenant.tenant} is used for ${actor.tenant}`);
  return tenant?.sim.call(method, args, token) ?? { ok: false as const, error: 'invalid_auth' };
}

/** Slack's Web API in this process: only the token selects the workspace. */
export function slackCalls(
  tenants: readonly SlackTenant[],
  checker: AccessChecker,
  gate: Gate,
): typeof createWebCall {
  return ({ token, onScopes }) =>
    async (method, args) => {
      await gate();
      const once = (current: string) => callIn(tenants, checker, method, args, current);
      const answer = once(await token());
      const last =
        !answer.ok && answer.error === 'invalid_auth' ? once(await token({ refresh: true })) : answer;
      if (last.ok) {
        onScopes?.(workspaceOf(tenants, await token())?.sim.identity.scopes ?? []);
        return last;
      }
      throw new SlackApiError(method, last.error);
    };
}

const workspaceOf = (tenants: readonly SlackTenant[], token: string): SlackTenant | undefined =>
  tenants.find(({ sim }) => sim.identity.botToken === token);

/** Discord's REST API in this process. */
export function discordCalls({ context }: Discord, gate: Gate): typeof createRestCall {
  return ({ token }) =>
    async ({ method, path, body, files = [], byInteractionToken }) => {
      await gate();
      const [at = '', query] = path.split('?');
      const route = routeFor(method, at);
      if (!route) throw new DiscordApiError(404, 0);
      if (!byInteractionToken && route.route.auth === 'bot' && (await token()) !== context.identity.botToken)
        throw new DiscordApiError(401, 0);
      const payload: unknown = body && JSON.parse(JSON.stringify(body));
      const uploads = files.map(({ name, type, content }, nth) => ({
        id: String(nth),
        filename: name,
        contentType: type,
        content: Buffer.from(content),
      }));
      try {
        const answer = route.route.run({
          context,
          at: (name) => route.parts[name] ?? '',
          query: new URLSearchParams(query),
          body: { payload, json: isJson(payload) ? payload : {}, uploads },
        });
        if (answer.status >= 400) throw new DiscordApiError(answer.status, 0);
        return answer.body;
      } catch (error) {
        if (error instanceof RefusalError) throw new DiscordApiError(error.status, error.code);
        throw error;
      }
    };
}

/** Accepts the bytes of an upload, as Slack's file host does. */
export const sendFile = async (
  address: string,
  file: { readonly content: AsyncIterable<Uint8Array> },
): Promise<void> => {
  const parts: Uint8Array[] = [];
  for await (const part of file.content) parts.push(part);
  if (!fill(address.split('/').at(-1) ?? '', Buffer.concat(parts))) throw new Error('bad_length');
};

const json = (body: unknown): Response =>
  new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });

const SLACK_FILES = 'https://files.slack.com';
const DISCORD_FILES = 'https://cdn.discordapp.com';

/** A Slack file, for the token of its workspace; everybody else gets the login page. */
function slackFile(
  tenants: readonly SlackTenant[],
  checker: AccessChecker,
  url: URL,
  headers: Headers,
): Response {
  const token = (headers.get('authorization') ?? '').replace('Bearer ', '');
  const tenant = workspaceOf(tenants, token);
  const actor = ACTOR.getStore();
  checker.checks += 1;
  if (actor && tenant && tenant.tenant !== actor.tenant)
    checker.fail(`a file is fetched for ${actor.tenant} by the token of ${tenant.tenant}`);
  const [, team, file = ''] = /-pri\/(\w+)-(F\w+)\//u.exec(url.pathname) ?? [];
  const answer = tenant?.sim.identity.teamId === team ? tenant?.sim.download(file, token) : undefined;
  return answer?.kind === 'file'
    ? new Response(new Uint8Array(answer.content), { headers: { 'content-type': answer.file.mimetype } })
    : new Response('', { status: 403 });
}

/** A Discord file, for everybody with its URL. */
function discordFile({ context }: Discord, url: URL): Response {
  const file = fileAt(context, url);
  return file ? new Response(new Uint8Array(file.content)) : new Response('', { status: 404 });
}

/** Requests by URL: modals, interaction responses, installs, files. All other URLs are refused. */
export function fetchOutside(
  tenants: readonly SlackTenant[],
  discord: Discord,
  checker: AccessChecker,
  gate: Gate,
): typeof fetch {
  return async (input, init) => {
    await gate();
    const url = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init?.headers);
    const words = typeof init?.body === 'string' ? init.body : '';
    if (url.origin === 'https://hooks.slack.com') {
      const [, , team, , id = ''] = url.pathname.split('/');
      const tenant = tenants.find(({ sim }) => sim.identity.teamId === team);
      const answer = tenant?.sim.respond(id, parsed(words));
      return answer?.ok === true ? new Response('ok') : new Response('expired_url', { status: 404 });
    }
    if (url.origin === SLACK_FILES) return slackFile(tenants, checker, url, headers);
    if (url.origin === DISCORD_FILES) return discordFile(discord, url);
    if (url.origin !== 'https://slack.com') throw new Error(`nobody may call ${url.origin}`);
    const form = init?.body instanceof URLSearchParams ? init.body : new URLSearchParams(words);
    const args = Object.fromEntries(form);
    const method = url.pathname.replace('/api/', '');
    if (method === 'oauth.v2.access') return json(grant(tenants, args['code'] ?? ''));
    const token = (headers.get('authorization') ?? '').replace('Bearer ', '');
    return json(callIn(tenants, checker, method, args, token));
  };
}

/** The result of a Slack OAuth code, which is valid once. */
function grant(tenants: readonly SlackTenant[], grantCode: string): object {
  const tenant = tenants.find(({ code }) => code !== undefined && code === grantCode);
  if (!tenant) return { ok: false, error: 'invalid_code' };
  tenant.sim.install();
  const { teamId, teamName, botToken, botUserId, scopes, users, enterprise } = tenant.sim.identity;
  return {
    ok: true,
    access_token: botToken,
    token_type: 'bot',
    bot_user_id: botUserId,
    scope: scopes.join(','),
    team: enterprise?.orgInstall ? null : { id: teamId, name: teamName },
    enterprise: enterprise ? { id: enterprise.id, name: enterprise.name } : null,
    is_enterprise_install: enterprise?.orgInstall === true,
    authed_user: { id: users[0]?.id ?? '' },
  };
}
