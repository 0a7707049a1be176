import type { PlatformName } from '../conversation/index.ts';
import type { Settings } from './ports.ts';

/** How people type a command: `/parley ask` in Slack, where it is a word behind the one command, `/ask` in Discord. */
export const typedAs = (
  platform: PlatformName,
  words: string,
  { slackCommand }: Pick<Settings, 'slackCommand'>,
): string => (platform === 'slack' ? `${slackCommand} ${words}` : `/${words}`);
