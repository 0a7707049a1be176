import type { ApiRequests, Integrations, LiveAnswers, Webhooks } from '../storage/index.ts';

/** What workers need of integrations. */
export type IntegrationsContext = {
  readonly integrations: {
    readonly store: Pick<Integrations, 'list' | 'find' | 'add' | 'rotate' | 'setChannels' | 'remove'>;
    readonly webhooks: Pick<Webhooks, 'find' | 'findSecret' | 'save' | 'remove' | 'saveFailures'>;
    readonly requests: Pick<ApiRequests, 'find' | 'attach' | 'link' | 'findByTurn' | 'fail'>;
    readonly answers: Pick<LiveAnswers, 'read'>;
    /** The address of the API; undefined where the deployment has none. */
    readonly url: string | undefined;
    readonly randomBytes: (count: number) => Uint8Array;
  };
};
