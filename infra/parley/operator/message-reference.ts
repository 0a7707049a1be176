import type { PlatformName } from '../../../shared/domain/index.ts';

/** What a person pasted to name a message. */
export type MessageReference = {
  readonly platform: PlatformName | undefined;
  /** The guild of a Discord link. A Slack link has none. */
  readonly workspace: string | undefined;
  readonly channel: string | undefined;
  /** The first message of its thread, if the link names it. */
  readonly root: string | undefined;
  readonly message: string | undefined;
  /** The id of a trace, in place of a message. */
  readonly trace: string | undefined;
};

const NOTHING = {
  platform: undefined,
  workspace: undefined,
  channel: undefined,
  root: undefined,
  message: undefined,
  trace: undefined,
} as const satisfies MessageReference;

const TRACE = /^1-[0-9a-f]{8}-[0-9a-f]{24}$/u;
const SLACK_MESSAGE = /^\d{10}\.\d{6}$/u;
const SNOWFLAKE = /^\d{17,20}$/u;
/** `/archives/C0123/p1700000000000100`. */
const SLACK_PATH = /^\/archives\/(?<channel>[A-Z0-9]+)\/p(?<seconds>\d{10})(?<micros>\d{6})$/u;
/** `/channels/<guild or @me>/<channel>/<message>`. */
const DISCORD_PATH = /^\/channels\/(?<guild>\d{17,20}|@me)\/(?<channel>\d{17,20})\/(?<message>\d{17,20})$/u;
const DISCORD_HOST = /^(?:(?:www|ptb|canary)\.)?discord(?:app)?\.com$/u;

/**
 * Parses a link of Slack ("Copy link") or Discord ("Copy Message Link"), the id of a message, or that of a trace. Undefined for
 * anything else.
 */
export function parseMessageReference(input: string): MessageReference | undefined {
  const text = input.trim().replace(/^<(?<link>.*)>$/u, '$<link>');
  if (TRACE.test(text)) return { ...NOTHING, trace: text };
  if (SLACK_MESSAGE.test(text)) return { ...NOTHING, platform: 'slack', message: text };
  if (SNOWFLAKE.test(text)) return { ...NOTHING, platform: 'discord', message: text };
  const url = URL.parse(text);
  if (!url || !/^https?:$/u.test(url.protocol)) return undefined;
  return parseSlackLink(url) ?? parseDiscordLink(url);
}

/** Any host: the workspace's own, a simulator, a company's address. */
function parseSlackLink({ pathname, searchParams }: URL): MessageReference | undefined {
  const { channel, seconds, micros } = SLACK_PATH.exec(pathname)?.groups ?? {};
  if (channel === undefined || seconds === undefined) return undefined;
  const root = searchParams.get('thread_ts') ?? undefined;
  const isRoot = root !== undefined && SLACK_MESSAGE.test(root);
  return {
    ...NOTHING,
    platform: 'slack',
    channel,
    message: `${seconds}.${micros}`,
    root: isRoot ? root : undefined,
  };
}

function parseDiscordLink({ host, pathname }: URL): MessageReference | undefined {
  const { guild, channel, message } = DISCORD_PATH.exec(pathname)?.groups ?? {};
  const isLocal = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/u.test(host);
  if (guild === undefined || (!DISCORD_HOST.test(host) && !isLocal)) return undefined;
  return { ...NOTHING, platform: 'discord', workspace: guild, channel, message };
}

/** What a reference may look like, for an error message. */
export const REFERENCE_HELP =
  'Paste a link ("Copy link" in Slack, "Copy Message Link" in Discord), the id of a message such as 1700000000.000100, or of a trace such as 1-5759e988-bd862e3fe1be46a994272793.';
