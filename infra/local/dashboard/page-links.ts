import { toLoopbackUrl } from '../local-json.ts';
import type { DiscordService } from '../services/discord.ts';
import type { SlackService } from '../services/services.ts';

/** Links the simulated pages to each other and to the dashboard. `faults` are the titles of active faults, which the pages show. */
export function linkPages(
  { simulator: slack }: Pick<SlackService, 'simulator'>,
  { simulator: discord }: Pick<DiscordService, 'simulator'>,
  api: string,
  faults: readonly string[],
): void {
  const links = { dashboard: `${api}/dashboard`, faults };
  slack?.setLinks({ ...links, neighbour: discord && toLoopbackUrl(discord.url) });
  discord?.setLinks({ ...links, neighbour: slack && toLoopbackUrl(slack.url) });
}
