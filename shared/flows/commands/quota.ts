import { channelId } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import { granted, type QuotaWish, quotaCard } from '../quota.ts';
import { type CalledCommand, type Run, tell, words } from './run.ts';
import { BOTH, type CommandSpec, type Options } from './spec.ts';

const DEEDS = ['show', 'set', 'drop', 'grant', 'block', 'unblock', 'reset', 'zone'] as const;
const SCOPES = ['person', 'channel', 'workspace'] as const;

export const spec: CommandSpec = {
  name: 'quota',
  platforms: BOTH,
  about: 'usage.quota.about',
  options: [
    {
      name: 'do',
      kind: 'text',
      choices: DEEDS,
    },
    {
      name: 'for',
      kind: 'text',
      choices: SCOPES,
    },
    { name: 'amount', kind: 'text', most: 60 },
    { name: 'who', kind: 'user' },
    { name: 'here', kind: 'yes-no' },
  ],
};

/** Budgets, for those who administer the workspace. */
export const run: Run<CalledCommand> = async (called, deps) => {
  const { invocation, options, locale } = called;
  const { spending } = deps;
  if (!spending) return tell(called, words(say(locale, 'usage.off')), deps);
  if (!called.admin) return tell(called, words(say(locale, 'usage.admins'), 'bad'), deps);
  const { platform, workspace, channel = channelId('none') } = invocation;
  const place = { platform, workspace, channel };
  const zone = await spending.zoneOf(place);
  const deed = DEEDS.find((one) => one === options['do']) ?? 'show';
  if (deed === 'reset') {
    const person = typeof options['who'] === 'string' ? options['who'] : invocation.by.user;
    await spending.reset(place, { person, channel }, scopeIn(options));
    return tell(called, words(say(locale, 'usage.quota.reset'), 'good'), deps);
  }
  if (deed === 'show') return tell(called, quotaCard(await spending.book(place), zone, locale), deps);
  const wish = wishOf(deed, options, channel);
  const book = wish && (await spending.change(place, (old) => granted(old, wish, deps.time.now(), zone)));
  if (!book) return tell(called, words(say(locale, 'usage.quota.how'), 'bad'), deps);
  return tell(called, quotaCard(book, book.zone ?? zone, locale), deps);
};

const scopeIn = (options: Options) =>
  SCOPES.find((one) => one === options['for']) ?? (options['here'] === true ? 'channel' : 'person');

function wishOf(
  kind: Exclude<(typeof DEEDS)[number], 'show' | 'reset'>,
  options: Options,
  channel: string,
): QuotaWish | undefined {
  const who = typeof options['who'] === 'string' ? options['who'] : undefined;
  const amount = String(options['amount'] ?? '');
  const scope = scopeIn(options);
  const here = scope === 'channel' && options['here'] === true ? channel : undefined;
  const of = scope === 'person' ? who : here;
  switch (kind) {
    case 'set':
    case 'grant':
      return { kind, scope, of, amount };
    case 'drop':
      return { kind, scope, of };
    case 'block':
    case 'unblock':
      return who === undefined ? undefined : { kind, who };
    case 'zone':
      return { kind, zone: amount };
  }
}
