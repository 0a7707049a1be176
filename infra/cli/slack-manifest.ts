import { config } from 'dotenv';
import { parseArgs } from 'node:util';
import { FILES } from '../../shared/commands/command-list.ts';
import { isUnderMore } from '../../shared/commands/definitions/more-actions.ts';
import { isOnPlatform } from '../../shared/commands/framework/command-spec.ts';
import { manifest } from '../../shared/platforms/slack/oauth/manifest.ts';
import { localize } from '../../shared/i18n/index.ts';

const USAGE = `Prints the manifest of the Slack app. Paste it at api.slack.com/apps > Create New App > From a manifest.

  npm run -s slack:manifest -- [--url https://your-deployment] [--channels] [--command /parley] [--org] [--link]

  --url       address of the deployment (the output SlackEventsUrl), for events, interactivity and the slash command;
              without it: socket mode
  --channels  receive all messages of channels that the bot is a member of, so that follow-ups in its threads need no mention
  --command   the slash command (default: SLACK_COMMAND, or /parley)
  --org       allow installs for a whole organization
  --link      print an address that opens Slack with the manifest filled in, instead of the manifest
`;

/** Slack's page for a new app, which takes a manifest. Source: docs.slack.dev/app-manifests/configuring-apps-with-app-manifests. */
const NEW_APP = 'https://api.slack.com/apps?new_app=1&manifest_json=';

/** The manifest for these arguments; throws an Error that says what is wrong with them. */
export function printed(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): string {
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: { type: 'string' },
      channels: { type: 'boolean', default: false },
      command: { type: 'string', default: env['SLACK_COMMAND'] || '/parley' },
      org: { type: 'boolean', default: false },
      link: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return USAGE;
  const { url, command, org: orgWide } = values;
  const origin = url === undefined ? undefined : originOf(url);
  if (!/^\/[a-z0-9_-]{1,31}$/.test(command))
    throw new Error('--command is a slash and 1 to 31 small letters');
  if (orgWide && origin === undefined) throw new Error('--org needs --url: people install it by browser');
  const shortcuts = FILES.flatMap(({ onMessage: of, texts }) => {
    const about = texts['onMessage'];
    return of && about && isOnPlatform(of, 'slack') && !isUnderMore(of)
      ? [{ name: of.name, label: of.label, about: localize('en', about) }]
      : [];
  });
  const made = manifest({
    origin,
    listening: values.channels ? 'channels' : 'mentions',
    command,
    shortcuts,
    orgWide,
  });
  return values.link
    ? `${NEW_APP}${encodeURIComponent(JSON.stringify(made))}\n`
    : `${JSON.stringify(made, undefined, 2)}\n`;
}

function originOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'https:') throw new Error('--url is the https address of the deployment');
  return parsed.origin;
}

if (import.meta.main) {
  try {
    config({ quiet: true });
    process.stdout.write(printed(process.argv.slice(2), process.env));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exitCode = 1;
  }
}
