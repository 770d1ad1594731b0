# syntax=docker/dockerfile:1
# The first stage builds with all packages, the second has the service with those that it needs to run. Images are named
# by digest, so that a build of today is that of tomorrow; docs/install.md says how to take newer ones.
FROM node:26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2 AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
COPY web web
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY packaging/container-start.sh packaging/
COPY scripts/keep-compiled.js scripts/
RUN mkdir -p /data dist/bundle/cache && chown node:node /data dist/bundle/cache
USER node
RUN node scripts/keep-compiled.js
VOLUME /data
# One pool of the C library for all threads: a twentieth less memory under load.
ENV NODE_ENV=production PITWALL_DATA_DIR=/data PITWALL_LISTEN=0.0.0.0:8480 MALLOC_ARENA_MAX=1
EXPOSE 8480
STOPSIGNAL SIGTERM
# Asks whether writes are taken; with TLS or another address give the container a check of its own.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8480/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Gives the heap half of the memory that the container may have.
ENTRYPOINT ["sh", "packaging/container-start.sh"]
CMD ["serve"]
