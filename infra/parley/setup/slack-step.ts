import * as v from 'valibot';
import { checkSlack, getFailed, getValue, type Probe, SLACK_API } from '../../configuration/index.ts';
import { type Question, SetupError } from './question.ts';
import type { SetupSession } from './session.ts';
import { buildSlackManifest, NEW_APP_URL } from '../../cli/slack-manifest.ts';

const SERVICE_TIMEOUT_MS = 10_000;

const CONFIG_TOKEN_QUESTION: Question = {
  id: 'slack.configToken',
  kind: 'secret',
  message: 'App configuration token, to create the Slack app automatically (empty: create it in the browser)',
  isOptional: true,
  findProblem: (answer) =>
    answer.startsWith('xoxe.xoxp-')
      ? undefined
      : 'it starts with xoxe.xoxp-: api.slack.com/apps, Your App Configuration Tokens',
};
const BOT_TOKEN_QUESTION: Question = {
  id: 'slack.botToken',
  kind: 'secret',
  message: 'Bot User OAuth Token (xoxb-…)',
  findProblem: (answer) => (/^xox(?:b|e\.xoxb)-/.test(answer) ? undefined : 'it starts with xoxb-'),
};
const APP_TOKEN_QUESTION: Question = {
  id: 'slack.appToken',
  kind: 'secret',
  message: 'App-level token (xapp-…)',
  findProblem: (answer) => (answer.startsWith('xapp-') ? undefined : 'it starts with xapp-'),
};

const createdSchema = v.union([
  v.object({
    ok: v.literal(true),
    app_id: v.string(),
    credentials: v.optional(v.object({ signing_secret: v.optional(v.string()) }), {}),
  }),
  v.object({
    ok: v.literal(false),
    error: v.string(),
    errors: v.optional(v.array(v.object({ message: v.string(), pointer: v.optional(v.string()) })), []),
  }),
]);

/**
 * Connects Slack: creates the app, and asks for its bot token. `socketMode`: also for the token of socket mode, which a machine without
 * an address needs.
 */
export async function setUpSlack(session: SetupSession, socketMode: boolean): Promise<void> {
  const { say, createProbe } = session.options;
  const apiUrl = getValue(session.variables, 'SLACK_API_URL') ?? SLACK_API;
  const check = async (botToken: string, appToken?: string) => {
    const settings = { apiUrl, botToken, appToken, botUserId: undefined };
    return (await checkSlack(settings, createProbe(SERVICE_TIMEOUT_MS))).checks;
  };
  const existingBot = getValue(session.variables, 'SLACK_BOT_TOKEN');
  const isBotSet = existingBot !== undefined && getFailed(await check(existingBot)).length === 0;
  const botToken = isBotSet ? existingBot : await connectBot(session, apiUrl, check);
  if (isBotSet) say('Slack: the bot token is set already.');
  if (!socketMode) return;
  const existingApp = getValue(session.variables, 'SLACK_APP_TOKEN');
  if (existingApp !== undefined && getFailed(await check(botToken, existingApp)).length === 0) {
    say('Slack: the app-level token is set already.');
    return;
  }
  const settings =
    session.slackAppId === undefined ? 'the app' : `https://api.slack.com/apps/${session.slackAppId}`;
  say(
    `Open ${settings} > Basic Information > App-Level Tokens > Generate, with the scope connections:write.`,
  );
  for (;;) {
    const appToken = await session.ask(APP_TOKEN_QUESTION);
    if (!session.accepts(await check(botToken, appToken))) continue;
    session.writeVariables({ SLACK_APP_TOKEN: appToken });
    say('Slack: connected.');
    return;
  }
}

type CheckTokens = (botToken: string) => Promise<Awaited<ReturnType<typeof checkSlack>>['checks']>;

/** Creates the app and asks for the token of its bot. Resolves with the token. */
async function connectBot(session: SetupSession, apiUrl: string, check: CheckTokens): Promise<string> {
  const { say } = session.options;
  const appId = session.slackAppId ?? (await createApp(session, apiUrl));
  say(
    appId === undefined
      ? 'In the new app: Install App > Install to Workspace > Allow. Then copy the Bot User OAuth Token.'
      : `Open https://api.slack.com/apps/${appId}/install-on-team, and install the app. Then copy the Bot User OAuth Token at OAuth & Permissions.`,
  );
  for (;;) {
    const botToken = await session.ask(BOT_TOKEN_QUESTION);
    if (!session.accepts(await check(botToken))) continue;
    session.writeVariables({ SLACK_BOT_TOKEN: botToken });
    return botToken;
  }
}

/** Creates the app with a configuration token. Without one, opens Slack's page, and resolves with undefined. */
async function createApp(session: SetupSession, apiUrl: string): Promise<string | undefined> {
  const { say, open, createProbe, prompter } = session.options;
  const manifest = JSON.stringify(
    buildSlackManifest({
      command: getValue(session.variables, 'SLACK_COMMAND') ?? '/parley',
      listening: 'channels',
      messageSearch: session.options.messageSearch,
    }),
  );
  for (;;) {
    const configToken = await session.ask(CONFIG_TOKEN_QUESTION);
    session.slackConfigToken = configToken;
    if (configToken === '') {
      const url = NEW_APP_URL + encodeURIComponent(manifest);
      say(`Open this address, choose your workspace, and press Create:\n\n${url}\n`);
      open(url);
      return undefined;
    }
    say('Creating the Slack app ...');
    const result = await requestApp(apiUrl, configToken, manifest, createProbe(SERVICE_TIMEOUT_MS));
    if ('appId' in result) {
      session.setSlackAppId(result.appId);
      // A deployment needs it, and Slack tells it only here and in the settings of the app.
      if (result.signingSecret !== undefined)
        session.writeVariables({ SLACK_SIGNING_SECRET: result.signingSecret });
      say(`Slack: created the app ${result.appId}.`);
      return result.appId;
    }
    if (!prompter.isInteractive) throw new SetupError(result.problem);
    say(result.problem);
  }
}

type CreatedApp = { readonly appId: string; readonly signingSecret: string | undefined };

async function requestApp(
  apiUrl: string,
  configToken: string,
  manifest: string,
  probe: Probe,
): Promise<CreatedApp | { readonly problem: string }> {
  const response = await probe(new URL('apps.manifest.create', apiUrl).href, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${configToken}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: String(new URLSearchParams({ manifest })),
  });
  const parsed = response.kind === 'answered' ? v.safeParse(createdSchema, response.json) : undefined;
  if (!parsed?.success)
    return {
      problem:
        'Slack did not answer. Look at api.slack.com/apps whether the app Parley exists, before you try again.',
    };
  if (parsed.output.ok)
    return { appId: parsed.output.app_id, signingSecret: parsed.output.credentials.signing_secret };
  const { error, errors } = parsed.output;
  const details = errors.map(({ pointer = '', message }) => ` ${pointer}: ${message}.`).join('');
  const fix =
    error === 'token_expired'
      ? ' Configuration tokens expire after 12 hours: generate a new one at api.slack.com/apps.'
      : '';
  return { problem: `Slack did not create the app (${error}).${details}${fix}` };
}
