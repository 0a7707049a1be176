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
import { getLogGroupName } from '../lambda-function.ts';
import type { LambdaFunction } from '../lambda-function.ts';

/** Logs `routeKey` instead of the path: a path may contain a secret (a callback URL), and logs are stored. */
const ACCESS_LOG = {
  time: '$context.requestTime',
  requestId: '$context.requestId',
  route: '$context.routeKey',
  status: '$context.status',
  bytes: '$context.responseLength',
  ms: '$context.responseLatency',
  error: '$context.integrationErrorMessage',
};

/** Requests per second, and burst. */
type Throttle = { readonly ThrottlingRateLimit: number; readonly ThrottlingBurstLimit: number };
/** For a route where a rejected request only costs time. */
const LOW_THROTTLE = { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 };
/** For pages that people open rarely; each can cause a request to Slack with the app's credentials. */
const PAGE_THROTTLE = { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 20 };

/** The HTTP API for the platforms. Each route has its own throttle, so a flood on one does not affect the others. */
export class Api {
  readonly api: HttpApi;
  readonly stage: HttpStage;
  /** Has one line per request. */
  readonly logs: LogGroup;
  private readonly throttles: Record<string, Throttle> = {};
  private readonly platformThrottle: Throttle;

  /** `rate` requests per second and `burst` requests at once are accepted on each platform route. */
  constructor(stack: Stack, { rate, burst }: { readonly rate: number; readonly burst: number }) {
    this.platformThrottle = { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst };
    this.api = new HttpApi(stack, 'Api', {
      createDefaultStage: false,
      description: 'Public addresses that the platforms call',
    });
    this.logs = new LogGroup(stack, 'ApiLogs', {
      // With this prefix a full policy of the region does not stop a deployment (CloudWatch Logs, "Log group resource policy size limit considerations").
      logGroupName: `/aws/vendedlogs${getLogGroupName(stack, 'api')}`,
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

  /** The time from request to response (ms), over five minutes. `statistic` is for example `p50` or `p99`. */
  latency(statistic: string): IMetric {
    return this.api.metricLatency({ statistic, period: Duration.minutes(5) });
  }

  /** Routes `POST path` to a function that authenticates requests itself; `how` explains by what. */
  post(path: string, handler: LambdaFunction, protection: string): void {
    this.setThrottle(
      this.addRoutes(HttpMethod.POST, [path], handler, protection),
      [`POST ${path}`],
      this.platformThrottle,
    );
  }

  /** Like `post`, with a lower throttle of its own, so that a flood of strangers does not affect the platforms. */
  postWithLowThrottle(path: string, handler: LambdaFunction, protection: string): void {
    this.setThrottle(
      this.addRoutes(HttpMethod.POST, [path], handler, protection),
      [`POST ${path}`],
      LOW_THROTTLE,
    );
  }

  /** Routes `GET` of these paths to a function for browsers; `how` explains its protection. */
  get(paths: readonly string[], handler: LambdaFunction, protection: string): void {
    const keys = paths.map((path) => `GET ${path}`);
    this.setThrottle(this.addRoutes(HttpMethod.GET, paths, handler, protection), keys, PAGE_THROTTLE);
  }

  private setThrottle(routes: readonly HttpRoute[], keys: readonly string[], to: Throttle): void {
    const stage = this.stage.node.defaultChild;
    if (!(stage instanceof CfnStage)) throw new Error('The API stage has no CfnStage.');
    for (const key of keys) this.throttles[key] = to;
    stage.routeSettings = this.throttles;
    stage.node.addDependency(...routes);
  }

  private addRoutes(
    method: HttpMethod,
    paths: readonly string[],
    handler: LambdaFunction,
    protection: string,
  ): HttpRoute[] {
    const integration = new HttpLambdaIntegration(`${handler.node.id}Integration`, handler.target);
    const routes = paths.flatMap((path) => this.api.addRoutes({ path, methods: [method], integration }));
    for (const route of routes) {
      Validations.of(route.node.defaultChild ?? route).acknowledge({
        id: 'AwsSolutions-APIG4',
        reason: `${protection} An authorizer sees neither the body nor its signature, so it could not check this.`,
      });
    }
    return routes;
  }
}
