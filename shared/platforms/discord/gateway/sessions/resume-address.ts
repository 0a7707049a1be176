/** The hosts of Discord's gateways. */
const DISCORD = /^(?:[a-z0-9-]+\.)*discord\.gg$/u;

/**
 * Returns the URL at which a session is resumed. The bot token is sent there, so Discord's resume URL is used only if its host is that of the
 * configured gateway, or if both are Discord's. Otherwise the configured gateway, which knows the session too.
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
