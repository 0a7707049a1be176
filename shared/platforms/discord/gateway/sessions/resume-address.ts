/** Discord's gateways, one of which a session is resumed at. */
const DISCORD = /^(?:[a-z0-9-]+\.)*discord\.gg$/u;

/**
 * Where a session is resumed, with the token of the bot: where Discord said, if that is the configured gateway's own host, or one of Discord's
 * where the configured one is; else at the configured gateway, which knows the session too.
 */
export function resumeAt(told: string, gatewayUrl: string): string {
  const [url, own] = [URL.parse(told), URL.parse(gatewayUrl)];
  if (!url || !own || url.username !== '' || url.password !== '') return gatewayUrl;
  if (url.protocol === own.protocol && url.host === own.host) return told;
  const discords = [url, own].every(
    ({ protocol, hostname, port }) => protocol === 'wss:' && port === '' && DISCORD.test(hostname),
  );
  return discords ? told : gatewayUrl;
}
