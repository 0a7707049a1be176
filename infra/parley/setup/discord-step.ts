import { ApplicationFlags } from 'discord-api-types/v10';
import * as v from 'valibot';
import { buildInvite } from '../../cli/invite.ts';
import { register } from '../../cli/register.ts';
import {
  checkDiscord,
  DISCORD_API,
  DISCORD_GATEWAY,
  fail,
  getFailed,
  getValue,
  type Probe,
  type Variables,
} from '../../configuration/index.ts';
import { readDiscord } from '../doctor/checks/check-discord-server.ts';
import { editApplication } from '../discord/edit-application.ts';
import type { Question } from './question.ts';
import type { SetupSession } from './session.ts';

const SERVICE_TIMEOUT_MS = 10_000;

const TOKEN_QUESTION: Question = {
  id: 'discord.botToken',
  kind: 'secret',
  message: 'Bot token of the Discord application',
  findProblem: (answer) =>
    /^[\w-]+\.[\w-]+\.[\w-]+$/.test(answer)
      ? undefined
      : 'it has three parts with dots between them: Bot > Reset Token',
};
/** The question for the messages, which proposes what is set. */
const buildMessagesQuestion = (variables: Variables): Question => ({
  id: 'discord.messages',
  kind: 'choice',
  message: 'Which messages does the bot read on Discord?',
  choices: [
    { value: 'mentions', label: 'Only those that mention it, and direct messages' },
    { value: 'all', label: 'All messages: follow-ups in its threads need no mention' },
  ],
  initial: getValue(variables, 'DISCORD_MESSAGES') === 'all' ? 'all' : 'mentions',
});

const applicationSchema = v.object({
  id: v.string(),
  verify_key: v.string(),
  flags: v.optional(v.number(), 0),
});
type Application = v.InferOutput<typeof applicationSchema>;

/** Connects Discord: checks the token, sets the intent, registers the commands, and prints the invitation. */
export async function setUpDiscord(session: SetupSession): Promise<void> {
  const { say, createProbe } = session.options;
  const apiUrl = (getValue(session.variables, 'DISCORD_API_URL') ?? DISCORD_API).replace(/\/+$/, '');
  const { application, botToken } = await connectApplication(session, apiUrl);
  const messages =
    (await session.ask(buildMessagesQuestion(session.variables))) === 'all' ? 'all' : 'mentions';
  const access = { apiUrl, applicationId: application.id, botToken };
  if (
    messages === 'all' &&
    !(await enableMessageContent(access, application, createProbe(SERVICE_TIMEOUT_MS)))
  )
    say('Switch on Message Content Intent at discord.com/developers/applications > your app > Bot.');
  session.writeVariables({
    DISCORD_APPLICATION_ID: application.id,
    DISCORD_PUBLIC_KEY: application.verify_key,
    DISCORD_BOT_TOKEN: botToken,
    DISCORD_GATEWAY_URL: getValue(session.variables, 'DISCORD_GATEWAY_URL') ?? DISCORD_GATEWAY,
    DISCORD_MESSAGES: messages,
  });
  const settings = { ...access, publicKey: application.verify_key, gatewayUrl: undefined, messages } as const;
  const { checks } = await checkDiscord(settings, createProbe(SERVICE_TIMEOUT_MS));
  // What it warns of is done next.
  session.accepts(getFailed(checks));
  say('Registering the commands on Discord ...');
  const exitCode = await register({
    env: { ...session.variables },
    skipConfirmation: true,
    // The list of changes is long, and everything in it is new.
    print: (line) => {
      if (!/^[+~-] /.test(line)) say(line);
    },
    confirm: async () => true,
  });
  if (exitCode !== 0) say('The commands are not registered. Run later: npm run discord:register');
  say(`Add the bot to your server: open ${buildInvite(application.id, messages).url}`);
}

/** Asks for the token until Discord accepts it. */
async function connectApplication(
  session: SetupSession,
  apiUrl: string,
): Promise<{ application: Application; botToken: string }> {
  const { say, createProbe } = session.options;
  const existing = getValue(session.variables, 'DISCORD_BOT_TOKEN');
  const known = existing && (await readApplication(apiUrl, existing, createProbe(SERVICE_TIMEOUT_MS)));
  if (existing && known) {
    say('Discord: the bot token is set already.');
    return { application: known, botToken: existing };
  }
  say(
    'Open discord.com/developers/applications > New Application, then Bot > Reset Token, and copy the token.',
  );
  for (;;) {
    const botToken = await session.ask(TOKEN_QUESTION);
    const application = await readApplication(apiUrl, botToken, createProbe(SERVICE_TIMEOUT_MS));
    if (application) return { application, botToken };
    session.accepts([
      fail(
        'DISCORD_BOT_TOKEN',
        'Discord does not accept it, or did not answer.',
        'Reset the token and copy it again.',
      ),
    ]);
  }
}

async function readApplication(
  apiUrl: string,
  botToken: string,
  probe: Probe,
): Promise<Application | undefined> {
  const response = await readDiscord({ apiUrl, applicationId: '', botToken }, '/applications/@me', probe);
  const parsed = response.kind === 'answered' ? v.safeParse(applicationSchema, response.json) : undefined;
  return parsed?.success ? parsed.output : undefined;
}

/** Switches the intent on. Resolves with whether it is on. Large bots have to apply for it instead. */
async function enableMessageContent(
  access: { readonly apiUrl: string; readonly botToken: string },
  { flags }: Application,
  probe: Probe,
): Promise<boolean> {
  const isOn = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;
  if ((flags & isOn) !== 0) return true;
  const change = { flags: flags | ApplicationFlags.GatewayMessageContentLimited };
  return (await editApplication(access, change, probe)) === undefined;
}
