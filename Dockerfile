# syntax=docker/dockerfile:1
# The first stage builds with all packages, the second has the service with those that it needs to run.
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
COPY web web
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:22-bookworm-slim
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
ENV NODE_ENV=production PITWALL_DATA_DIR=/data PITWALL_LISTEN=0.0.0.0:8480
EXPOSE 8480
STOPSIGNAL SIGTERM
# Asks whether writes are taken; with TLS or another address give the container a check of its own.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8480/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli/pitwall.js"]
CMD ["serve"]
