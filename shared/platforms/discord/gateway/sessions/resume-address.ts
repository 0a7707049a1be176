/** The hosts of Discord's gateways. */
const DISCORD_HOST = /^(?:[a-z0-9-]+\.)*discord\.gg$/u;

/**
 * Returns the URL at which a session is resumed. The bot token is sent there, so Discord's resume URL is used only if its host is that of the
 * configured gateway, or if both are Discord's. Otherwise the configured gateway, which knows the session too.
 */
export function resumeUrl(offeredUrl: string, gatewayUrl: string): string {
  const [offered, configured] = [URL.parse(offeredUrl), URL.parse(gatewayUrl)];
  if (!offered || !configured || offered.username !== '' || offered.password !== '') return gatewayUrl;
  if (offered.protocol === configured.protocol && offered.host === configured.host) return offeredUrl;
  const areBothDiscord = [offered, configured].every(
    ({ protocol, hostname, port }) => protocol === 'wss:' && port === '' && DISCORD_HOST.test(hostname),
  );
  return areBothDiscord ? offeredUrl : gatewayUrl;
}
