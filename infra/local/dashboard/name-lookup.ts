import type { NameLookup } from '../../dashboard/index.ts';
import type { DiscordService } from '../services/discord.ts';
import type { SlackService } from '../services/services.ts';

type Platforms = {
  readonly slack: Pick<SlackService, 'simulator'>;
  readonly discord: Pick<DiscordService, 'simulator'>;
};

/** Returns the names that the simulated platforms know. */
export const createNameLookup =
  ({ slack, discord }: Platforms): NameLookup =>
  (platform, scope, id) => {
    if (platform === 'slack') {
      const { simulator } = slack;
      if (scope === 'person') return simulator?.users.find((user) => user.id === id)?.realName;
      const name = simulator?.core.state.channels.get(id)?.name;
      return name === undefined || name === '' ? undefined : `#${name}`;
    }
    const { simulator } = discord;
    if (scope === 'person') return simulator?.core.identity.users.find((user) => user.id === id)?.username;
    const name = simulator?.core.context.state.channels.get(id)?.name;
    return name === undefined || name === '' ? undefined : `#${name}`;
  };
