import type { CommandsContext } from '../context.ts';
import { type Card, channelId, formatMention } from '../../domain/index.ts';
import { localize, formatChoice, formatOption, formatCommand, getCommandFormat } from '../../i18n/index.ts';
import { applyPolicyChange, type BudgetPolicyChange, isGrantable, quotaCard } from '../../billing/index.ts';
import type { RulesOf } from '../framework/option-rules.ts';
import { texts as quotaTexts } from './texts/quota-texts.ts';
import {
  type InteractionRequest,
  type CommandRequest,
  type CommandHandler,
  replyCard,
  textCard,
} from '../framework/types.ts';
import type { CommandSpec, Options, TextsOf } from '../framework/command-spec.ts';

const ACTIONS = ['show', 'set', 'drop', 'grant', 'block', 'unblock', 'reset', 'zone'] as const;
const SCOPES = ['person', 'channel', 'workspace'] as const;

export const spec = {
  name: 'quota',
  options: [
    { name: 'do', kind: 'text', choices: ACTIONS },
    { name: 'for', kind: 'text', choices: SCOPES },
    { name: 'amount', kind: 'text', max: 60 },
    { name: 'who', kind: 'user' },
    { name: 'here', kind: 'yes-no' },
  ],
} as const satisfies CommandSpec;

export const rules: RulesOf<typeof spec> = {
  do: { default: 'show' },
  for: { onlyWith: { do: ['set', 'drop', 'grant', 'reset'] } },
  amount: {
    onlyWith: { do: ['set', 'grant', 'zone'] },
    requiredWith: { do: ['set', 'grant', 'zone'] },
  },
  who: {
    onlyWith: {
      do: ['set', 'drop', 'grant', 'reset', 'block', 'unblock'],
      for: ['person'],
      here: 'absent',
    },
    requiredWith: { do: ['block', 'unblock'] },
  },
  here: { onlyWith: { do: ['set', 'drop', 'grant', 'reset'], for: ['channel'] } },
};

/** Shows and changes the budgets, for admins of the workspace. */
export const run: CommandHandler<CommandRequest> = async (request, context) => {
  const { interaction, options, locale } = request;
  const { budgets } = context;
  if (!budgets.enabled) return replyCard(request, textCard(localize(locale, 'usage.off')), context);
  if (!request.admin) return replyCard(request, textCard(localize(locale, 'usage.admins'), 'bad'), context);
  const { platform, workspace, channel = channelId('none') } = interaction;
  const place = { platform, workspace, channel };
  const zone = await budgets.getZone(place);
  const action = ACTIONS.find((one) => one === options['do']) ?? 'show';
  if (action === 'reset') {
    const person = typeof options['who'] === 'string' ? options['who'] : interaction.by.user;
    await budgets.resetBudgets(place, { person, channel }, getScope(options));
    return replyCard(request, textCard(localize(locale, 'usage.quota.reset'), 'good'), context);
  }
  const change = action === 'show' ? undefined : parseChange(action, options, channel, interaction.id);
  const policy =
    action === 'show'
      ? await budgets.getPolicy(place)
      : change &&
        (await budgets.changePolicy(place, (old) =>
          applyPolicyChange(old, change, context.time.now(), old.zone ?? zone),
        ));
  if (!policy) return replyCard(request, createErrorCard(request, action), context);
  return replyCard(
    request,
    quotaCard(policy, {
      zone: policy.zone ?? zone,
      nowMs: context.time.now(),
      locale,
      examples: formatExamples(request, context),
    }),
    context,
  );
};

const MAX_QUOTED_CHARACTERS = 60;

/** Says why a change is invalid. */
function createErrorCard({ locale, options }: CommandRequest, action: (typeof ACTIONS)[number]): Card {
  if (action === 'drop' || (action === 'grant' && isGrantable(String(options['amount']))))
    return textCard(localize(locale, 'usage.quota.no-rule'), 'bad');
  if (action === 'unblock') {
    const who = String(options['who']);
    return textCard(localize(locale, 'usage.quota.not-blocked', { who: formatMention(who) }), 'bad', [who]);
  }
  const amount = String(options['amount']).slice(0, MAX_QUOTED_CHARACTERS).toWellFormed();
  const reason = action === 'zone' ? 'usage.quota.no-zone' : 'usage.quota.no-amount';
  return textCard(localize(locale, reason, { amount }), 'bad');
}

const getScope = (options: Options) =>
  SCOPES.find((one) => one === options['for']) ?? (options['here'] === true ? 'channel' : 'person');

function parseChange(
  kind: Exclude<(typeof ACTIONS)[number], 'show' | 'reset'>,
  options: Options,
  channel: string,
  id: string,
): BudgetPolicyChange | undefined {
  const who = typeof options['who'] === 'string' ? options['who'] : undefined;
  const amount = String(options['amount'] ?? '');
  const scope = getScope(options);
  const here = scope === 'channel' && options['here'] === true ? channel : undefined;
  const of = scope === 'person' ? who : here;
  switch (kind) {
    case 'set':
      return { kind, scope, of, amount };
    case 'grant':
      return { kind, scope, of, amount, id };
    case 'drop':
      return { kind, scope, of };
    case 'block':
    case 'unblock':
      return who === undefined ? undefined : { kind, who };
    case 'zone':
      return { kind, zone: amount };
  }
}

/** Formats examples of the command, with the option names that the person sees. */
function formatExamples(
  { interaction }: InteractionRequest,
  { settings }: Pick<CommandsContext, 'settings'>,
): string {
  const where = getCommandFormat(interaction);
  const action = (of: (typeof ACTIONS)[number]) =>
    formatChoice(texts['do.name'], of, where, texts[`do=${of}`]);
  const scope = (of: (typeof SCOPES)[number]) =>
    formatChoice(texts['for.name'], of, where, texts[`for=${of}`]);
  const amount = (of: string) => formatChoice(texts['amount.name'], of, where);
  const who = formatOption(texts['who.name'], '@…', where);
  return [
    [action('set'), scope('person'), amount('$5/day')],
    [action('set'), scope('workspace'), amount('2000/month')],
    [action('grant'), scope('person'), amount('$2'), who],
    [action('block'), who],
    [action('zone'), amount('Europe/Berlin')],
  ]
    .map((behind) => `\`${formatCommand(texts.name, where, settings, ...behind)}\``)
    .join(' · ');
}

export const texts = quotaTexts satisfies TextsOf<typeof spec>;
