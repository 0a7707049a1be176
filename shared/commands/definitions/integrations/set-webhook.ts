import type { CommandsContext } from '../../context.ts';
import { type Card, WEBHOOK_EVENTS, type WebhookEventKind } from '../../../domain/index.ts';
import { localize } from '../../../i18n/index.ts';
import { formatWebhookSecret } from '../../../integrations/index.ts';
import { type CommandRequest, textCard } from '../../framework/types.ts';
import { findIntegration } from './edit-integrations.ts';

const SECRET_BYTES = 32;

/** Sets the URL that gets the events of an integration, and shows the secret once; or removes its webhook. */
export async function setWebhook(
  request: CommandRequest,
  name: string,
  context: CommandsContext,
): Promise<Card> {
  const { interaction, options, locale } = request;
  const lookup = await findIntegration(request, name, context);
  if ('card' in lookup) return lookup.card;
  const { integration } = lookup;
  const { webhooks, randomBytes } = context.integrations;
  const text = String(options['url'] ?? 'none').replaceAll(/^<|(?:\|[^>]*)?>$/gu, '');
  if (text === 'none') {
    await webhooks.remove(interaction, integration.id);
    return textCard(localize(locale, 'integrations.webhook.removed', { name: integration.name }), 'good');
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The host itself is checked where it is opened; http only reaches origins that the operator names.
  if (!url || !/^https?:$/u.test(url.protocol) || url.username !== '' || url.hash !== '')
    return textCard(localize(locale, 'tools.bad-url'), 'bad');
  const secret = formatWebhookSecret(randomBytes(SECRET_BYTES));
  const isForChannels = options['events'] === 'channels';
  const events = toEvents(options['events']);
  const webhook = { url: url.href, events, by: interaction.by.user, isForChannels };
  await webhooks.save(interaction, integration.id, webhook, secret);
  return {
    title: localize(locale, 'integrations.webhook.title', { name: integration.name }),
    tone: 'good',
    parts: [
      { kind: 'text', markdown: `\`${secret}\`` },
      { kind: 'note', markdown: localize(locale, 'integrations.webhook.once') },
      { kind: 'note', markdown: `\`${url.href}\`: ${webhook.events.map(nameTypes).join(', ')}` },
      ...(isForChannels
        ? [
            {
              kind: 'note' as const,
              markdown: localize(locale, 'integrations.webhook.channels', { name: integration.name }),
            },
          ]
        : []),
    ],
  };
}

/** The types of webhooks, as the receiver reads them. */
const nameTypes = (event: WebhookEventKind): string =>
  event === 'answer' ? '`answer.completed`, `answer.failed`' : '`feedback.given`';

function toEvents(events: unknown): readonly WebhookEventKind[] {
  if (events === 'answers') return ['answer'];
  return events === 'feedback' ? ['feedback'] : WEBHOOK_EVENTS;
}
