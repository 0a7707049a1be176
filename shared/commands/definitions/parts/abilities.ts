import type { CommandsContext } from '../../context.ts';
import type { CardPart, CardControl } from '../../../domain/index.ts';
import { type LocalizedText, localize, getCommandFormat, formatCommand } from '../../../i18n/index.ts';
import { DEFAULT_VALUES, isSilent, resolve } from '../../../settings/rules/index.ts';
import { formatMenuPath } from '../../arguments/menu-path.ts';
import { isCommandOn, mayMakeVideos } from '../../framework/is-command-on.ts';
import type { InteractionRequest } from '../../framework/types.ts';
import { texts as animate } from '../animate.ts';
import { texts as askAbout } from '../ask-about.ts';
import { texts as help } from '../help.ts';
import { texts as imagine } from '../imagine.ts';
import { texts as summarise } from '../summarise.ts';
import { texts as transcribe } from '../transcribe.ts';
import { texts as why } from '../why.ts';

/** By name: only Slack has an App Home, and its commands are typed in English. The most useful first, those of administrators last. */
export const HOME_COMMANDS = [
  'ask',
  'summarise',
  'catchup',
  'model',
  'persona',
  'settings',
  'memory',
  'usage',
  'voice',
  'imagine',
  'animate',
  'why',
  'export',
  'forget',
  'quota',
  'feedback',
  'weekly',
  'key',
  'help',
] as const;

type AbilityContext = Pick<CommandsContext, 'settings' | 'videos' | 'budgets'>;

/** Lists what the bot does for the person here, without features that the deployment lacks or that are off for them. */
function listAbilities(request: InteractionRequest, context: AbilityContext): string[] {
  const { locale, interaction } = request;
  const { layers } = context.settings;
  if (isSilent(layers)) return [localize(locale, 'settings.refused.silent')];
  const format = getCommandFormat(interaction);
  const command = (name: LocalizedText): string => formatCommand(name, format, context.settings);
  const voiceMode = resolve('voice', layers).value ?? DEFAULT_VALUES.voice;
  const hasVideos = mayMakeVideos(request, context);
  const inMenu: readonly (LocalizedText | undefined)[] = [
    askAbout.messageCommand,
    summarise.messageCommand,
    voiceMode === 'off' ? undefined : transcribe.messageCommand,
    hasVideos ? animate.messageCommand : undefined,
    why.messageCommand,
  ];
  const labels = inMenu
    .flatMap((label) => (label ? [`_${formatMenuPath(label, format, locale)}_`] : []))
    .join(', ');
  return [
    localize(locale, 'settings.home.ask'),
    localize(locale, 'settings.home.files'),
    ...(voiceMode === 'off' ? [] : [localize(locale, 'settings.home.voice')]),
    ...(voiceMode === 'automatic' ? [localize(locale, 'settings.home.voice-automatic')] : []),
    ...(hasVideos
      ? [
          localize(locale, 'settings.home.picture', { command: command(imagine.name) }),
          localize(locale, 'settings.home.video', { command: command(animate.name) }),
        ]
      : []),
    localize(locale, 'settings.home.menu', { labels }),
  ];
}

/** Shows in App Home what the bot does for the person, and the commands that are on for them. */
export function createAbilityParts(request: InteractionRequest, context: AbilityContext): CardPart[] {
  const { locale } = request;
  const { settings } = context;
  const commands = HOME_COMMANDS.filter((name) => isCommandOn(name, request, context))
    .map((name) => `\`${name}\``)
    .join(' · ');
  const allCommands: CardControl = {
    kind: 'button',
    label: localize(locale, 'settings.home.help'),
    style: 'primary',
    action: { name: 'menu.run', args: [settings.slackCommand, 'help'] },
  };
  const lines = listAbilities(request, context).map((line) => `- ${line}`);
  const list = localize(locale, 'settings.home.commands', {
    commands: `\`${settings.slackCommand}\` ${commands}`,
  });
  return [
    { kind: 'text', markdown: `**${localize(locale, help.about)}**` },
    { kind: 'text', markdown: lines.join('\n') },
    { kind: 'note', markdown: list },
    { kind: 'controls', controls: [allCommands] },
    { kind: 'divider' },
  ];
}
