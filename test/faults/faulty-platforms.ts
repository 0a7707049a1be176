import type { createRestCall } from '../../shared/platforms/discord/index.ts';
import type { createWebCall } from '../../shared/platforms/slack/index.ts';
import type { Processes } from './processes.ts';
import { discordCallWith, type SeededBug, slackCallWith } from './seeded-bugs.ts';

/** Slack with each request as a point of the plan. `onSearch` gets the permission of each search of messages, also of those that fail. */
export const faultySlack =
  (
    processes: Processes,
    web: typeof createWebCall,
    onSearch: (token: string) => void,
    mutant?: SeededBug,
  ): typeof createWebCall =>
  (config) => {
    const call = web(config);
    return (method, args) => {
      if (method === 'assistant.search.context') onSearch(String(args['action_token']));
      const calling = processes.call(method, () => call(method, args));
      return slackCallWith(mutant, method, calling);
    };
  };

/** Discord with each request as a point of the plan. */
export const faultyDiscord =
  (processes: Processes, rest: typeof createRestCall, mutant?: SeededBug): typeof createRestCall =>
  (config) => {
    const call = rest(config);
    return (request) => {
      const name = `${request.method} ${request.path}`;
      const calling = processes.call(name, () => call(request));
      return discordCallWith(mutant, name, calling);
    };
  };
