import { config } from 'dotenv';
import { parseArgs } from 'node:util';
import { FILES, isMoreAction, isOnPlatform } from '../../shared/commands/index.ts';
import { createManifest, type ManifestOptions } from '../../shared/platforms/slack/index.ts';
import { localize } from '../../shared/i18n/index.ts';

const USAGE = `Prints the manifest of the Slack app. Paste it at api.slack.com/apps > Create New App > From a manifest.

  npm run -s slack:manifest -- [--url https://your-deployment] [--channels] [--command /parley] [--org] [--search] [--link]

  --url       URL of the deployment (the output SlackEventsUrl), for events, interactivity and the slash command;
              without it: socket mode
  --channels  receive all messages of channels that the bot is in, so that follow-ups in its threads need no mention
  --command   the slash command; default SLACK_COMMAND, else /parley
  --org       allow installation for a whole organization
  --search    allow the search of messages in public channels: docs/message-search.md
  --link      print a URL that opens Slack with the manifest filled in, instead of the manifest
`;

/** Slack's page for creating an app from a manifest. Source: docs.slack.dev/app-manifests/configuring-apps-with-app-manifests. */
export const NEW_APP_URL = 'https://api.slack.com/apps?new_app=1&manifest_json=';

/** Builds the manifest, with the commands in the menu of a message. */
export function buildSlackManifest(
  options: Omit<ManifestOptions, 'shortcuts'>,
): ReturnType<typeof createManifest> {
  const shortcuts = FILES.flatMap(({ messageCommand: of, texts }) => {
    const about = texts['messageCommand'];
    return of && about && isOnPlatform(of, 'slack') && !isMoreAction(of)
      ? [{ name: of.name, label: of.label, about: localize('en', about) }]
      : [];
  });
  return createManifest({ ...options, shortcuts });
}

/** Returns the manifest for these arguments. Throws an Error that explains invalid arguments. */
export function formatManifest(
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
      search: { type: 'boolean', default: false },
      link: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return USAGE;
  const { url, command, org: orgWide } = values;
  const origin = url === undefined ? undefined : parseOrigin(url);
  if (!/^\/[a-z0-9_-]{1,31}$/.test(command))
    throw new Error('--command needs a slash and 1 to 31 lower-case letters, digits, _ or -');
  if (orgWide && origin === undefined)
    throw new Error('--org needs --url: the installation runs in the browser');
  const appManifest = buildSlackManifest({
    origin,
    listening: values.channels ? 'channels' : 'mentions',
    command,
    orgWide,
    messageSearch: values.search,
  });
  return values.link
    ? `${NEW_APP_URL}${encodeURIComponent(JSON.stringify(appManifest))}\n`
    : `${JSON.stringify(appManifest, undefined, 2)}\n`;
}

function parseOrigin(url: string): string {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'https:') throw new Error('--url needs the https URL of the deployment');
  return parsed.origin;
}

if (import.meta.main) {
  try {
    config({ quiet: true });
    process.stdout.write(formatManifest(process.argv.slice(2), process.env));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exitCode = 1;
  }
}
