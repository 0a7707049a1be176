import * as v from 'valibot';
import { createManifest } from '../../../../shared/platforms/slack/index.ts';
import {
  type Check,
  fail,
  pass,
  type Probe,
  type ProbeResult,
  skip,
  warn,
} from '../../../configuration/index.ts';

const flag = v.optional(v.boolean(), false);
/** The parts of a manifest that are compared. Slack leaves out what is off. */
const manifestSchema = v.object({
  features: v.object({
    app_home: v.optional(v.object({ messages_tab_enabled: flag, messages_tab_read_only_enabled: flag }), {}),
    slash_commands: v.optional(v.array(v.object({ command: v.string() })), []),
  }),
  settings: v.optional(
    v.object({
      event_subscriptions: v.optional(
        v.object({
          request_url: v.optional(v.string()),
          bot_events: v.optional(v.array(v.string()), []),
        }),
        {},
      ),
      interactivity: v.optional(v.object({ is_enabled: flag }), {}),
      socket_mode_enabled: flag,
    }),
    {},
  ),
});
export type SlackManifest = v.InferOutput<typeof manifestSchema>;

const exportSchema = v.union([
  v.object({ ok: v.literal(true), manifest: manifestSchema }),
  v.object({ ok: v.literal(false), error: v.string() }),
]);

/** What the system expects of the app. */
export type ExpectedApp = {
  /** With socket mode, or with a request URL. */
  readonly kind: 'socket' | 'posted';
  readonly appId: string | undefined;
  /** With its slash. */
  readonly command: string;
};

export type ManifestResult = {
  readonly checks: Check[];
  /** Where Slack posts events. Undefined with socket mode, and if it was not read. */
  readonly requestUrl: string | undefined;
};

const notRead = (check: Check): ManifestResult => ({ checks: [check], requestUrl: undefined });

const NAME = 'Slack app';
const SETTINGS = 'api.slack.com/apps > your app';
const HOW_TO_READ =
  'To check them, create a token at api.slack.com/apps > Your App Configuration Tokens, and run: SLACK_CONFIG_TOKEN=xoxe.xoxp-... npx parley doctor';

/**
 * Compares the settings of the app with what Parley needs. They can only be read with a configuration token, which expires
 * after 12 hours and does not belong into `.env`.
 */
export async function checkSlackManifest(
  apiUrl: string,
  configToken: string | undefined,
  expected: ExpectedApp,
  probe: Probe,
): Promise<ManifestResult> {
  const { appId } = expected;
  if (configToken === undefined)
    return notRead(
      skip(NAME, 'its Messages tab, events and commands cannot be read with its bot token.', HOW_TO_READ),
    );
  if (appId === undefined)
    return notRead(skip(NAME, 'its settings were not read, because Slack did not tell its id.'));
  const url = new URL('apps.manifest.export', apiUrl);
  url.search = String(new URLSearchParams({ app_id: appId }));
  const headers = { authorization: `Bearer ${configToken}` };
  return evaluateExport(expected, await probe(url.href, { method: 'POST', headers }));
}

/** Evaluates the response to `apps.manifest.export`. */
function evaluateExport(expected: ExpectedApp, response: ProbeResult): ManifestResult {
  const parsed = response.kind === 'answered' ? v.safeParse(exportSchema, response.json) : undefined;
  if (!parsed?.success)
    return notRead(warn(NAME, 'its settings were not read: Slack does not answer.', 'Try again later.'));
  if (parsed.output.ok) {
    const { manifest: actual } = parsed.output;
    const requestUrl = actual.settings.event_subscriptions.request_url;
    return { checks: evaluateManifest(expected, actual), requestUrl };
  }
  const { error } = parsed.output;
  const finding =
    error === 'token_expired'
      ? 'has expired: configuration tokens are valid for 12 hours (token_expired).'
      : `does not read the settings of the app ${expected.appId} (${error}).`;
  return notRead(warn('SLACK_CONFIG_TOKEN', finding, HOW_TO_READ));
}

/** Evaluates the manifest of the app. */
function evaluateManifest(expected: ExpectedApp, actual: SlackManifest): Check[] {
  const { features, settings } = actual;
  const checks = [
    ...evaluateMessagesTab(features.app_home),
    ...evaluateDelivery(expected, settings),
    ...evaluateEvents(settings.event_subscriptions.bot_events),
    ...(settings.interactivity.is_enabled
      ? []
      : [
          warn(
            NAME,
            'its interactivity is off: buttons, modals and the menu of a message do nothing.',
            `Switch it on at ${SETTINGS} > Interactivity & Shortcuts.`,
          ),
        ]),
    ...(features.slash_commands.some(({ command }) => command === expected.command)
      ? []
      : [
          warn(
            NAME,
            `has no slash command ${expected.command}.`,
            `Create it at ${SETTINGS} > Slash Commands, or set SLACK_COMMAND to the command that the app has.`,
          ),
        ]),
  ];
  return checks.length === 0 ? [pass(NAME, 'its Messages tab, events and commands are right.')] : checks;
}

function evaluateMessagesTab(home: SlackManifest['features']['app_home']): Check[] {
  if (home.messages_tab_enabled && !home.messages_tab_read_only_enabled) return [];
  return [
    fail(
      NAME,
      home.messages_tab_enabled
        ? 'its Messages tab is read-only: nobody can write to it directly.'
        : 'its Messages tab is off: nobody can write to it directly.',
      `At ${SETTINGS} > App Home > Show Tabs, switch on "Messages Tab" and "Allow users to send Slash commands and messages from the messages tab".`,
    ),
  ];
}

function evaluateDelivery(
  { kind }: ExpectedApp,
  { socket_mode_enabled: isSocketMode, event_subscriptions: events }: SlackManifest['settings'],
): Check[] {
  if (kind === 'socket')
    return isSocketMode
      ? []
      : [
          fail(
            NAME,
            'its socket mode is off: no event arrives here.',
            `Switch it on at ${SETTINGS} > Socket Mode.`,
          ),
        ];
  const fix = `At ${SETTINGS}, switch Socket Mode off, and enter the https address of this system with /slack/events at Event Subscriptions > Request URL.`;
  if (isSocketMode)
    return [fail(NAME, 'its socket mode is on, but SLACK_APP_TOKEN is not set: no event arrives here.', fix)];
  if (events.request_url === undefined)
    return [fail(NAME, 'it has no Request URL: no event arrives here.', fix)];
  if (URL.parse(events.request_url)?.pathname !== '/slack/events')
    return [fail(NAME, 'its Request URL does not end with /slack/events.', fix)];
  return [];
}

function evaluateEvents(subscribed: readonly string[]): Check[] {
  const { settings } = createManifest({ listening: 'mentions', command: '/parley', shortcuts: [] });
  const missing = settings.event_subscriptions.bot_events.filter((event) => !subscribed.includes(event));
  const fix = `Add it at ${SETTINGS} > Event Subscriptions > Subscribe to bot events, and save.`;
  return missing.map((event) =>
    event === 'app_mention' || event === 'message.im'
      ? fail(
          NAME,
          `does not subscribe to ${event}: ${event === 'app_mention' ? 'mentions' : 'direct messages'} do not arrive.`,
          fix,
        )
      : warn(NAME, `does not subscribe to ${event}.`, fix),
  );
}
