import * as v from 'valibot';
import { ROUTES } from '../../../shared/runtime/index.ts';
import type { Probe, ProbeResult } from '../../configuration/index.ts';
import { editApplication, EVENTS_ENABLED, REMOVAL_EVENT } from '../discord/edit-application.ts';

/** The app at Slack, and how to change it. */
export type SlackAppAccess = {
  readonly apiUrl: string;
  readonly configToken: string;
  readonly appId: string;
};

const jsonObject = v.record(v.string(), v.unknown());
const exportSchema = v.union([
  v.object({
    ok: v.literal(true),
    manifest: v.looseObject({
      features: v.optional(v.looseObject({ slash_commands: v.optional(v.array(jsonObject)) }), {}),
      oauth_config: v.optional(v.looseObject({ redirect_urls: v.optional(v.array(v.string()), []) }), {}),
      settings: v.optional(
        v.looseObject({
          event_subscriptions: v.optional(jsonObject),
          interactivity: v.optional(jsonObject),
        }),
        {},
      ),
    }),
  }),
  v.object({ ok: v.literal(false), error: v.string() }),
]);
const updateSchema = v.union([
  v.object({ ok: v.literal(true) }),
  v.object({ ok: v.literal(false), error: v.string() }),
]);

/**
 * Enters the address in the Slack app, for events, interactivity and all slash commands, adds the one to which Slack sends browsers
 * after an install, and switches socket mode off. All other settings stay. Resolves with the problem, or with undefined when it is done.
 */
export async function registerAtSlack(
  access: SlackAppAccess,
  url: string,
  probe: Probe,
): Promise<string | undefined> {
  const { appId } = access;
  const exported = await call(access, 'apps.manifest.export', { app_id: appId }, probe);
  const parsed = exported.kind === 'answered' ? v.safeParse(exportSchema, exported.json) : undefined;
  if (!parsed?.success) return 'Slack did not answer';
  if (!parsed.output.ok) return parsed.output.error;
  const { manifest } = parsed.output;
  const redirectUrl = new URL(ROUTES.slackRedirect, url).href;
  const changed = {
    ...manifest,
    features: {
      ...manifest.features,
      ...(manifest.features.slash_commands && {
        slash_commands: manifest.features.slash_commands.map((command) => ({ ...command, url })),
      }),
    },
    oauth_config: {
      ...manifest.oauth_config,
      redirect_urls: [...new Set([...manifest.oauth_config.redirect_urls, redirectUrl])],
    },
    settings: {
      ...manifest.settings,
      event_subscriptions: { ...manifest.settings.event_subscriptions, request_url: url },
      interactivity: { ...manifest.settings.interactivity, is_enabled: true, request_url: url },
      socket_mode_enabled: false,
    },
  };
  const args = { app_id: appId, manifest: JSON.stringify(changed) };
  const updated = await call(access, 'apps.manifest.update', args, probe);
  const result = updated.kind === 'answered' ? v.safeParse(updateSchema, updated.json) : undefined;
  if (!result?.success) return 'Slack did not answer';
  return result.output.ok ? undefined : result.output.error;
}

const call = (
  { apiUrl, configToken }: SlackAppAccess,
  method: string,
  args: Readonly<Record<string, string>>,
  probe: Probe,
): Promise<ProbeResult> =>
  probe(new URL(method, apiUrl).href, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${configToken}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: String(new URLSearchParams({ ...args })),
  });

type DiscordAccess = { readonly apiUrl: string; readonly botToken: string };

/**
 * Enters the address for interactions at Discord, which calls it before it accepts it. Resolves with the problem, or with
 * undefined when it is done.
 */
export const registerAtDiscord = (
  access: DiscordAccess,
  url: string,
  probe: Probe,
): Promise<string | undefined> => editApplication(access, { interactions_endpoint_url: url }, probe);

/**
 * Has Discord report to the address when a person removes the app. Discord calls it before it accepts it. Resolves with the
 * problem, or with undefined when it is done.
 */
export const registerEventsAtDiscord = (
  access: DiscordAccess,
  url: string,
  probe: Probe,
): Promise<string | undefined> =>
  editApplication(
    access,
    {
      event_webhooks_url: url,
      event_webhooks_status: EVENTS_ENABLED,
      event_webhooks_types: [REMOVAL_EVENT],
    },
    probe,
  );
