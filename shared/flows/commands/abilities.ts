import type { CardPart, Control } from '../../conversation/index.ts';
import { type Locale, type Said, say } from '../../texts/index.ts';
import type { Deps } from '../ports.ts';
import { texts as animate } from './animate.ts';
import { texts as askAbout } from './ask-about.ts';
import { texts as help } from './help.ts';
import { texts as summarise } from './summarise.ts';
import { texts as transcribe } from './transcribe.ts';
import { nameOf, typed } from './typed.ts';
import { texts as why } from './why.ts';

/** What the bot can do here, for App Home: what a deployment lacks is left out. */
export function abilityParts(
  locale: Locale,
  { settings, hearing, videos }: Pick<Deps, 'settings' | 'hearing' | 'videos'>,
): CardPart[] {
  const where = { platform: 'slack', locale } as const;
  const inMenu: readonly (Said | undefined)[] = [
    askAbout.onMessage,
    summarise.onMessage,
    why.onMessage,
    hearing && transcribe.onMessage,
    videos && animate.onMessage,
  ];
  const labels = inMenu.flatMap((said) => (said ? [`_${nameOf(said, where)}_`] : [])).join(', ');
  const command = typed(animate.name, where, settings);
  const lines = [
    say(locale, 'settings.home.ask'),
    say(locale, 'settings.home.files'),
    ...(hearing ? [say(locale, 'settings.home.voice')] : []),
    ...(videos ? [say(locale, 'settings.home.video', { command })] : []),
    say(locale, 'settings.home.menu', { labels }),
  ];
  const allCommands: Control = {
    kind: 'button',
    label: say(locale, 'settings.home.help'),
    style: 'primary',
    action: { name: 'menu.run', args: [settings.slackCommand, 'help'] },
  };
  return [
    { kind: 'text', markdown: `**${say(locale, help.about)}**` },
    { kind: 'text', markdown: lines.map((line) => `- ${line}`).join('\n') },
    { kind: 'controls', controls: [allCommands] },
    { kind: 'divider' },
  ];
}
