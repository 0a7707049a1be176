import { type Card, type Control, namedAs } from '../../conversation/index.ts';
import { type Audited, isSetting } from '../../settings/index.ts';
import type { StoredLevel } from '../../store/index.ts';
import { say } from '../../texts/index.ts';
import type { Deps } from '../ports.ts';
import { placeOfCall } from '../settings.ts';
import { isNamed, type Named, naming } from './naming.ts';
import { type AnyCall, words } from './run.ts';
import { isHere, mayChange } from './settings-card.ts';

/** Changes in one part of a card, which Slack cuts at 3,000 characters, and of what each was set to. */
const LINES = 10;
const LONGEST_TOLD = 100;

/** Everything that was changed at a level, the newest first: what, to what, by whom and when. */
export async function logCard(called: AnyCall, level: StoredLevel, deps: Deps): Promise<Card> {
  const { locale, invocation } = called;
  if (!isHere(called, level)) return words(say(locale, 'settings.no.nowhere'), 'bad');
  if (!mayChange(called, level)) return words(say(locale, 'settings.no.not-admin'), 'bad');
  const { log } = await deps.choices.read(placeOfCall(invocation), level);
  const moment = { dateStyle: 'medium', timeStyle: 'short', timeZone: deps.settings.zone ?? 'UTC' } as const;
  const format = new Intl.DateTimeFormat(locale, moment);
  const lines = log.map((one): Named => {
    const { at, by, setting } = one;
    const to = told(called, one);
    const who = by === '' ? say(locale, 'settings.log.forgotten') : namedAs(by);
    const text = `- ${format.format(at)} ${who} \`${setting}\` → ${to.text}`;
    return { text, people: by === '' ? to.people : [by, ...to.people] };
  });
  const pages = Array.from({ length: Math.ceil(lines.length / LINES) }, (_, page) =>
    lines.slice(page * LINES, (page + 1) * LINES),
  );
  return {
    title: `${say(locale, `settings.level.${level}`)}: ${say(locale, 'settings.log.show')}`,
    parts: [
      ...(pages.length === 0 ? [{ kind: 'text' as const, markdown: say(locale, 'settings.log.none') }] : []),
      ...pages.map((page) => ({
        kind: 'text' as const,
        markdown: page.map(({ text }) => text).join('\n'),
        people: [...new Set(page.flatMap(({ people }) => people))],
      })),
      { kind: 'controls', controls: [back(called, level)] },
    ],
  };
}

const back = ({ locale }: AnyCall, level: StoredLevel): Control => ({
  kind: 'button',
  label: say(locale, `settings.show.${level}`),
  action: { name: 'settings.show', args: [level] },
});

/** What something was set to: the JSON of it, which may be cut. */
function told({ locale, invocation }: AnyCall, { setting, to }: Audited): Named {
  if (to === '') return { text: say(locale, 'settings.log.reset'), people: [] };
  if (!isSetting(setting) || !isNamed(setting) || !to.startsWith('['))
    return { text: `\`${to.replaceAll('`', '').slice(0, LONGEST_TOLD)}\``, people: [] };
  const ids = Array.from(to.matchAll(/"([^"]*)"/gu), ([, id = '']) => id);
  const { text, people } = naming(invocation.platform, setting, ids);
  return { text: `${text || '–'}${to.endsWith(']') ? '' : ' …'}`, people };
}
