import type { Integration, IntegrationPlace, WebhookEventKind } from '../domain/index.ts';
import type { ApiRequests, Integrations, LiveAnswers, Webhooks } from '../storage/index.ts';

/** A webhook for all answers in the channels of its integration. */
export type ChannelWebhook = {
  readonly integration: Integration;
  readonly events: readonly WebhookEventKind[];
};

/** Lists the webhooks of a workspace that are for all answers in some channels. Rejects if the table is unavailable. */
export type ListChannelWebhooks = (place: IntegrationPlace) => Promise<readonly ChannelWebhook[]>;

/** What workers need of integrations. */
export type IntegrationsContext = {
  readonly integrations: {
    readonly store: Pick<Integrations, 'list' | 'find' | 'add' | 'rotate' | 'setChannels' | 'remove'>;
    readonly webhooks: Pick<
      Webhooks,
      'find' | 'decrypt' | 'save' | 'remove' | 'resetFailures' | 'countFailure' | 'turnOff'
    >;
    readonly requests: Pick<ApiRequests, 'find' | 'attach' | 'link' | 'findByTurn' | 'fail'>;
    readonly answers: Pick<LiveAnswers, 'read'>;
    readonly listChannelWebhooks: ListChannelWebhooks;
    /** The address of the API; undefined where the deployment has none. */
    readonly url: string | undefined;
    readonly randomBytes: (count: number) => Uint8Array;
  };
};
