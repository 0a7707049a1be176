import type { CommandsContext } from '../../context.ts';
import type { CardPart, CardControl } from '../../../domain/index.ts';
import {
  type Locale,
  type LocalizedText,
  localize,
  getCommandName,
  formatCommand,
} from '../../../i18n/index.ts';
import { texts as animate } from '../animate.ts';
import { texts as askAbout } from '../ask-about.ts';
import { texts as help } from '../help.ts';
import { texts as summarise } from '../summarise.ts';
import { texts as transcribe } from '../transcribe.ts';
import { texts as why } from '../why.ts';

/** Lists the features for App Home, without those that the deployment lacks. */
export function abilityParts(
  locale: Locale,
  { settings, videos }: Pick<CommandsContext, 'settings' | 'videos'>,
): CardPart[] {
  const where = { platform: 'slack', locale } as const;
  const inMenu: readonly (LocalizedText | undefined)[] = [
    askAbout.messageCommand,
    summarise.messageCommand,
    why.messageCommand,
    transcribe.messageCommand,
    videos.enabled ? animate.messageCommand : undefined,
  ];
  const labels = inMenu.flatMap((label) => (label ? [`_${getCommandName(label, where)}_`] : [])).join(', ');
  const command = formatCommand(animate.name, where, settings);
  const lines = [
    localize(locale, 'settings.home.ask'),
    localize(locale, 'settings.home.files'),
    localize(locale, 'settings.home.voice'),
    ...(videos.enabled ? [localize(locale, 'settings.home.video', { command })] : []),
    localize(locale, 'settings.home.menu', { labels }),
  ];
  const allCommands: CardControl = {
    kind: 'button',
    label: localize(locale, 'settings.home.help'),
    style: 'primary',
    action: { name: 'menu.run', args: [settings.slackCommand, 'help'] },
  };
  return [
    { kind: 'text', markdown: `**${localize(locale, help.about)}**` },
    { kind: 'text', markdown: lines.map((line) => `- ${line}`).join('\n') },
    { kind: 'controls', controls: [allCommands] },
    { kind: 'divider' },
  ];
}
