/** The allowed origins of files, such as `https://files.slack.com`. `https://*.slack-edge.com` matches all subdomains of `slack-edge.com`. */
export type FileHosts = {
  /** Origins of Slack, which get the bot token. */
  readonly own: readonly string[];
  /** Origins of presigned URLs. The token is never sent there. */
  readonly presigned: readonly string[];
};

/**
 * Slack's file hosts. `files.slack.com` redirects to the others: in Enterprise Grid to `files-origin.slack.com`, which needs the token too,
 * elsewhere to presigned URLs. Source: NousResearch/hermes-agent#114483, openclaw/openclaw#63523 and #1978, curie-eng/curie#2715.
 */
const SLACK: FileHosts = {
  own: ['https://files.slack.com', 'https://files-origin.slack.com', 'https://slack-files.com'],
  presigned: ['https://*.slack-edge.com'],
};
const GOV_SLACK: FileHosts = {
  own: ['https://files.slack-gov.com', 'https://files-origin.slack-gov.com', 'https://slack-files-gov.com'],
  presigned: ['https://*.slack-edge-gov.com'],
};
const NONE: FileHosts = { own: [], presigned: [] };

export const DEFAULT_FILE_HOSTS = SLACK;

/**
 * Returns the file hosts for the Slack at `slackApiUrl`: Slack's own and the configured ones (SLACK_FILES_HOSTS). If the API is neither Slack
 * nor GovSlack (a proxy or test server) and no hosts are configured, the host of the API. Only loopback hosts may use http.
 */
export function createFileHosts(slackApiUrl: string, named: readonly string[] = []): FileHosts {
  const { hostname, host } = new URL(slackApiUrl);
  const family = getFamily(hostname, named);
  const others = family === NONE && named.length === 0 ? [host] : named;
  return { ...family, own: [...new Set([...family.own, ...others.flatMap(parseOrigin)])] };

  function parseOrigin(name: string): string | [] {
    const scheme = name === host ? new URL(slackApiUrl).protocol : 'http:';
    const local = URL.parse(`${scheme}//${name}`);
    if (local && isLoopback(local.hostname)) return local.origin;
    return URL.parse(`https://${name}`)?.origin ?? [];
  }
}

/** A proxy to Slack is recognized by a configured host of Slack's. */
function getFamily(apiHost: string, named: readonly string[]): FileHosts {
  if (apiHost === 'slack.com' || apiHost === 'www.slack.com') return SLACK;
  if (apiHost === 'slack-gov.com' || apiHost === 'www.slack-gov.com') return GOV_SLACK;
  return (
    [SLACK, GOV_SLACK].find(({ own: [first] }) => named.some((name) => `https://${name}` === first)) ?? NONE
  );
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);

/** Whether a file may be downloaded from this URL, and whether with the token; undefined if not, or if the URL contains credentials. */
export function getFileAccess(
  address: string,
  { own, presigned }: FileHosts,
): 'token' | 'no-token' | undefined {
  const url = URL.parse(address);
  if (!url || url.username !== '' || url.password !== '') return undefined;
  if (presigned.some((origin) => matches(url, origin))) return 'no-token';
  if (!own.some((origin) => matches(url, origin))) return undefined;
  // `slack-files.com` also serves presigned URLs, under this path.
  return url.pathname.startsWith('/files-pri-safe/') ? 'no-token' : 'token';
}

function matches({ origin, protocol, hostname, port }: URL, allowed: string): boolean {
  if (!allowed.startsWith('https://*.')) return origin === allowed;
  return protocol === 'https:' && port === '' && hostname.endsWith(allowed.slice('https://*'.length));
}
