/* MDAV as a compiled reference: Domingo-Ferrer & Torra (2005), read step by step, with no index and no threads.
 *
 * points: n records of p standardised attributes, record after record. On return label[i] is the number of the cluster
 * of record i. The records that remain stand together at the front; of equal distances the first in the file counts.
 */
#include <stdlib.h>
#include <string.h>

static double squared_distance(const double *a, const double *b, int p) {
    double sum = 0;
    for (int j = 0; j < p; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

static int farthest(const double *rest, int size, int p, const double *centre) {
    int best = 0;
    double most = -1;
    for (int i = 0; i < size; i++) {
        double d = squared_distance(rest + (size_t)i * p, centre, p);
        if (d > most) most = d, best = i;
    }
    return best;
}

/* Move the k nearest out of the front of the list, in whose order the others stay. */
static int take(double *rest, int *who, int size, int p, const double *centre, int k, int *label, int number,
                double *distance, int *nearest) {
    int held = 0;
    for (int i = 0; i < size; i++) {
        double d = squared_distance(rest + (size_t)i * p, centre, p);
        if (held == k && d >= distance[k - 1]) continue;
        int at = held < k ? held++ : k - 1;
        for (; at > 0 && distance[at - 1] > d; at--) distance[at] = distance[at - 1], nearest[at] = nearest[at - 1];
        distance[at] = d, nearest[at] = i;
    }
    for (int i = 0; i < k; i++) label[who[nearest[i]]] = number;
    int kept = 0;
    for (int i = 0; i < size; i++) {
        if (label[who[i]] == number) continue;
        if (kept != i) memcpy(rest + (size_t)kept * p, rest + (size_t)i * p, p * sizeof(double)), who[kept] = who[i];
        kept++;
    }
    return kept;
}

int mdav(const double *points, int n, int p, int k, int *label) {
    double *rest = malloc((size_t)n * p * sizeof(double)), *centre = malloc(3 * p * sizeof(double));
    double *first = centre + p, *second = centre + 2 * p, *distance = malloc(k * sizeof(double));
    int *who = malloc(n * sizeof(int)), *nearest = malloc(k * sizeof(int)), size = n, number = 0;
    memcpy(rest, points, (size_t)n * p * sizeof(double));
    for (int i = 0; i < n; i++) who[i] = i, label[i] = -1;
    while (size >= 2 * k) {
        memset(centre, 0, p * sizeof(double));
        for (int i = 0; i < size; i++)
            for (int j = 0; j < p; j++) centre[j] += rest[(size_t)i * p + j];
        for (int j = 0; j < p; j++) centre[j] /= size;
        memcpy(first, rest + (size_t)farthest(rest, size, p, centre) * p, p * sizeof(double));
        memcpy(second, rest + (size_t)farthest(rest, size, p, first) * p, p * sizeof(double));
        int pair = size >= 3 * k;
        size = take(rest, who, size, p, first, k, label, number++, distance, nearest);
        if (pair) size = take(rest, who, size, p, second, k, label, number++, distance, nearest);
    }
    for (int i = 0; i < size; i++) label[who[i]] = number;
    free(rest), free(centre), free(distance), free(who), free(nearest);
    return number + (size > 0);
}
