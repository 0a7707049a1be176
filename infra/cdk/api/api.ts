import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { Stack } from 'aws-cdk-lib';
import {
  CfnStage,
  HttpApi,
  HttpMethod,
  type HttpRoute,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { logsName } from '../lambda-function.ts';
import type { LambdaFunction } from '../lambda-function.ts';

/** `routeKey` and never the path: a path may carry a secret (an unguessable callback address), and logs are kept. */
const ACCESS_LOG = {
  time: '$context.requestTime',
  requestId: '$context.requestId',
  route: '$context.routeKey',
  status: '$context.status',
  bytes: '$context.responseLength',
  ms: '$context.responseLatency',
  error: '$context.integrationErrorMessage',
};

/** Requests a second, and at once. */
type Throttle = { readonly ThrottlingRateLimit: number; readonly ThrottlingBurstLimit: number };
/** On a route where one that is refused costs only time. */
const SLOW = { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 };
/** The same for pages that people open now and then, each of which may have Slack asked something in our name. */
const RARE = { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 20 };

/**
 * The HTTP API that the platforms call. Each route is throttled by itself, so that a flood on one takes nothing from the others, and each request
 * is logged.
 */
export class Api {
  readonly api: HttpApi;
  readonly stage: HttpStage;
  /** A line for each request. */
  readonly logs: LogGroup;
  private readonly throttles: Record<string, Throttle> = {};
  private readonly ofPlatforms: Throttle;

  /** `rate` requests a second and `burst` at once are let through on each route of a platform. */
  constructor(stack: Stack, { rate, burst }: { readonly rate: number; readonly burst: number }) {
    this.ofPlatforms = { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst };
    this.api = new HttpApi(stack, 'Api', {
      createDefaultStage: false,
      description: 'Public addresses that the platforms call',
    });
    this.logs = new LogGroup(stack, 'ApiLogs', {
      logGroupName: logsName(stack, 'api'),
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.stage = new HttpStage(stack, 'ApiStage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: rate, burstLimit: burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.logs),
        format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)),
      },
    });
  }

  /** How long requests take from their coming to their answer (ms), over five minutes: `p50`, `p99`. */
  latency(statistic: string): IMetric {
    return this.api.metricLatency({ statistic, period: Duration.minutes(5) });
  }

  /** Serves `POST path` by a function that authenticates the caller itself; `how` says by what. */
  post(path: string, handler: LambdaFunction, how: string): void {
    this.throttle(this.serve(HttpMethod.POST, [path], handler, how), [`POST ${path}`], this.ofPlatforms);
  }

  /**
   * Serves it as `post` does, at a rate of its own: a flood of strangers there takes nothing from the platforms.
   */
  postSlowly(path: string, handler: LambdaFunction, how: string): void {
    this.throttle(this.serve(HttpMethod.POST, [path], handler, how), [`POST ${path}`], SLOW);
  }

  /** Serves `GET` of these paths by a function that is for browsers; `how` says what keeps strangers from harm. */
  get(paths: readonly string[], handler: LambdaFunction, how: string): void {
    const keys = paths.map((path) => `GET ${path}`);
    this.throttle(this.serve(HttpMethod.GET, paths, handler, how), keys, RARE);
  }

  private throttle(routes: readonly HttpRoute[], keys: readonly string[], to: Throttle): void {
    const stage = this.stage.node.defaultChild;
    if (!(stage instanceof CfnStage)) throw new Error('a stage that cannot be throttled');
    for (const key of keys) this.throttles[key] = to;
    stage.routeSettings = this.throttles;
    stage.node.addDependency(...routes);
  }

  private serve(
    method: HttpMethod,
    paths: readonly string[],
    handler: LambdaFunction,
    how: string,
  ): HttpRoute[] {
    const integration = new HttpLambdaIntegration(`${handler.node.id}Integration`, handler.target);
    const routes = paths.flatMap((path) => this.api.addRoutes({ path, methods: [method], integration }));
    for (const route of routes) {
      Validations.of(route.node.defaultChild ?? route).acknowledge({
        id: 'AwsSolutions-APIG4',
        reason: `${how} An authorizer sees neither the body nor its signature, so it could not check this.`,
      });
    }
    return routes;
  }
}
