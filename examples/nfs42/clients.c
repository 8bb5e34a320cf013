/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Client records: EXCHANGE_ID, DESTROY_CLIENTID and the end of leases.  A
 * record is unconfirmed until its first session; an unconfirmed one holds
 * nothing, and gives way.
 */
#include <stdlib.h>
#include <string.h>

#include "clients.h"
#include "opens.h"
#include "put.h"

bool same_principal(const struct principal *a, const struct principal *b)
{
    return a->flavor == b->flavor && a->uid == b->uid;
}

struct clients *clients_new(void)
{
    return calloc(1, sizeof(struct clients));
}

struct client *clients_find(struct server *server, clientid4 id)
{
    struct client *client = server->clients->first;

    while (client != NULL && client->id != id)
        client = client->next;
    return client;
}

/* With all it has. */
void clients_forget(struct server *server, struct client *client)
{
    struct client **at = &server->clients->first;

    sessions_forget(server, client);
    opens_forget(server, client);
    while (*at != client)
        at = &(*at)->next;
    *at = client->next;
    server->clients->count--;
    free(client);
}

void clients_free(struct server *server)
{
    if (server->clients == NULL)
        return;
    while (server->clients->first != NULL)
        clients_forget(server, server->clients->first);
    free(server->clients);
    server->clients = NULL;
}

void clients_expire(struct server *server, time_t silent)
{
    struct client *client, *next;
    time_t now = seconds_now();

    for (client = server->clients->first; client != NULL; client = next) {
        next = client->next;
        if (now - client->renewed > silent)
            clients_forget(server, client);
    }
}

static struct client *by_owner(struct server *server,
                               const client_owner4 *owner, bool confirmed)
{
    struct client *client = server->clients->first;

    while (client != NULL &&
           (client->confirmed != confirmed ||
            client->owner_len != owner->co_ownerid.co_ownerid_len ||
            !same_bytes(client->owner, owner->co_ownerid.co_ownerid_val,
                        client->owner_len)))
        client = client->next;
    return client;
}

/*
 * Room for one more: an unconfirmed record gives way at once, a confirmed one
 * when its lease has run out.
 */
static bool make_room(struct server *server)
{
    struct client *client, *oldest = NULL;
    time_t now = seconds_now();

    if (server->clients->count < MAX_CLIENTS)
        return true;
    for (client = server->clients->first; client != NULL; client = client->next)
        if ((!client->confirmed ||
             now - client->renewed > (time_t)LEASE_SECONDS) &&
            (oldest == NULL || client->renewed < oldest->renewed))
            oldest = client;
    if (oldest == NULL)
        return false;
    clients_forget(server, oldest);
    return true;
}

static struct client *new_record(struct server *server,
                                 const struct principal *principal,
                                 const client_owner4 *owner)
{
    struct client *client =
        make_room(server) ? calloc(1, sizeof(*client)) : NULL;

    if (client == NULL)
        return NULL;
    client->id = (uint64_t)server->boot << 32 | ++server->clients->serial;
    memcpy(client->verifier, owner->co_verifier, sizeof(client->verifier));
    client->owner_len = owner->co_ownerid.co_ownerid_len;
    if (client->owner_len > 0)
        memcpy(client->owner, owner->co_ownerid.co_ownerid_val,
               client->owner_len);
    client->principal = *principal;
    client->sequence = 1;
    client->renewed = seconds_now();
    client->next = server->clients->first;
    server->clients->first = client;
    server->clients->count++;
    return client;
}

/* Only the owner itself may update, and only what is confirmed. */
static nfsstat4 update(const struct client *confirmed,
                       const struct principal *principal,
                       const client_owner4 *owner)
{
    if (confirmed == NULL)
        return NFS4ERR_NOENT;
    if (memcmp(confirmed->verifier, owner->co_verifier,
               sizeof(confirmed->verifier)) != 0)
        return NFS4ERR_NOT_SAME;
    if (!same_principal(&confirmed->principal, principal))
        return NFS4ERR_PERM;
    return NFS4_OK;
}

/* The nine cases of section 18.35.5. */
static nfsstat4 record_for(struct server *server,
                           const struct principal *principal,
                           const EXCHANGE_ID4args *args, struct client **client)
{
    const client_owner4 *owner = &args->eia_clientowner;
    struct client *confirmed = by_owner(server, owner, true);
    struct client *unconfirmed = by_owner(server, owner, false);

    *client = confirmed;
    if (args->eia_flags & EXCHGID4_FLAG_UPD_CONFIRMED_REC_A)
        return update(confirmed, principal, owner);
    if (unconfirmed != NULL)
        clients_forget(server, unconfirmed);
    if (confirmed != NULL &&
        !same_principal(&confirmed->principal, principal)) {
        if (confirmed->opens > 0 &&
            seconds_now() - confirmed->renewed <= (time_t)LEASE_SECONDS)
            return NFS4ERR_CLID_INUSE;
        clients_forget(server, confirmed);
        confirmed = NULL;
    }
    if (confirmed != NULL && memcmp(confirmed->verifier, owner->co_verifier,
                                    sizeof(confirmed->verifier)) == 0)
        return NFS4_OK;
    /* A client that started anew: the old record goes when it is confirmed. */
    *client = new_record(server, principal, owner);
    return *client != NULL ? NFS4_OK : NFS4ERR_DELAY;
}

/* The only protection offered is none. */
static nfsstat4 judge_protection(const state_protect4_a *protect)
{
    switch (protect->spa_how) {
    case SP4_NONE:
        return NFS4_OK;
    case SP4_SSV:
        return NFS4ERR_ENCR_ALG_UNSUPP;
    default:
        return NFS4ERR_INVAL; /* there is no RPCSEC_GSS */
    }
}

/* One server for each export, the same after a restart. */
static void name_server(const struct server *server, EXCHANGE_ID4resok *res)
{
    static uint8_t name[8];
    struct put put = {name, 0, sizeof(name), false};

    put64(&put, server->identity);
    res->eir_server_owner.so_minor_id = 0;
    res->eir_server_owner.so_major_id.so_major_id_len = sizeof(name);
    res->eir_server_owner.so_major_id.so_major_id_val = (char *)name;
    res->eir_server_scope.eir_server_scope_len = sizeof(name);
    res->eir_server_scope.eir_server_scope_val = (char *)name;
}

nfsstat4 clients_exchange_id(struct server *server,
                             const struct principal *principal,
                             const EXCHANGE_ID4args *args,
                             EXCHANGE_ID4resok *res)
{
    const uint32_t known_flags =
        EXCHGID4_FLAG_SUPP_MOVED_REFER | EXCHGID4_FLAG_SUPP_MOVED_MIGR |
        EXCHGID4_FLAG_SUPP_FENCE_OPS | EXCHGID4_FLAG_BIND_PRINC_STATEID |
        EXCHGID4_FLAG_MASK_PNFS | EXCHGID4_FLAG_UPD_CONFIRMED_REC_A;
    struct client *client = NULL;
    nfsstat4 status;

    if (args->eia_flags & ~known_flags)
        return NFS4ERR_INVAL;
    status = judge_protection(&args->eia_state_protect);
    if (status == NFS4_OK)
        status = record_for(server, principal, args, &client);
    if (status != NFS4_OK)
        return status;
    client->renewed = seconds_now();
    res->eir_clientid = client->id;
    res->eir_sequenceid = client->sequence;
    res->eir_flags = EXCHGID4_FLAG_USE_NON_PNFS;
    if (client->confirmed)
        res->eir_flags |= EXCHGID4_FLAG_CONFIRMED_R;
    res->eir_state_protect.spr_how = SP4_NONE;
    name_server(server, res);
    return NFS4_OK;
}

nfsstat4 clients_destroy(struct server *server, clientid4 id)
{
    struct client *client = clients_find(server, id);

    if (client == NULL)
        return NFS4ERR_STALE_CLIENTID;
    if (client->sessions > 0 || client->opens > 0)
        return NFS4ERR_CLIENTID_BUSY;
    clients_forget(server, client);
    return NFS4_OK;
}
