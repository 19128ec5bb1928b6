// Repeats the operations that the example polyhedra_compare prints with the Parma Polyhedra Library, compares the
// results, and adds up the times. See scripts/compare-polyhedra.
#include <chrono>
#include <csignal>
#include <iostream>
#include <map>
#include <ppl.hh>
#include <sstream>
#include <string>
#include <tuple>
#include <unistd.h>

using namespace Parma_Polyhedra_Library;

// The library gives up a case after so many seconds; its time is not counted then, and neither is ours.
static const unsigned PATIENCE = 3;

struct Slow : public Throwable {
    void throw_me() const { throw *this; }
    int priority() const { return 0; }
};
static Slow slow;
static void give_up(int) { abandon_expensive_computations = &slow; }

static Linear_Expression read_row(std::istream &in, size_t dimensions) {
    std::string text;
    in >> text;
    Linear_Expression row(Coefficient(text.c_str()));
    for (size_t at = 0; at < dimensions; at++) {
        in >> text;
        Coefficient factor(text.c_str());
        if (factor != 0)
            row += factor * Variable(at);
    }
    return row;
}

static Constraint_System read_system(std::istream &in, size_t dimensions) {
    std::string bar, relation;
    size_t count;
    in >> bar >> count;
    Constraint_System system;
    system.set_space_dimension(dimensions);
    while (count-- > 0) {
        in >> relation;
        Linear_Expression row = read_row(in, dimensions);
        if (relation == "=")
            system.insert(row == 0);
        else
            system.insert(row >= 0);
    }
    return system;
}

static C_Polyhedron make(const Constraint_System &system, size_t dimensions) {
    C_Polyhedron polyhedron(dimensions);
    polyhedron.add_constraints(system);
    return polyhedron;
}

static void minimise(const C_Polyhedron &polyhedron) {
    polyhedron.minimized_constraints();
    polyhedron.minimized_generators();
}

struct Case {
    std::string operation, family;
    size_t dimensions, target;
    double time;
    Linear_Expression value;
    Constraint_System first, second, expected;

    explicit Case(const std::string &line) {
        std::istringstream in(line);
        in >> operation >> family >> dimensions >> time >> target;
        value = read_row(in, dimensions);
        first = read_system(in, dimensions);
        second = read_system(in, dimensions);
        expected = read_system(in, dimensions);
    }

    void apply(C_Polyhedron &left, C_Polyhedron &right) const {
        Variable variable(target);
        if (operation == "join")
            left.poly_hull_assign(right);
        else if (operation == "meet")
            left.intersection_assign(right);
        else if (operation == "assume")
            left.add_constraint(value <= 0);
        else if (operation == "shift" || operation == "set")
            left.affine_image(variable, value);
        else if (operation == "forget")
            left.unconstrain(variable);
        else if (operation == "widen") {
            std::swap(left, right);
            left.H79_widening_assign(right);
        }
        minimise(left);
    }

    // The result, and the time of the fastest of a few runs, as for our own times.
    C_Polyhedron run(double &spent) const {
        C_Polyhedron a = make(first, dimensions), b = make(second, dimensions), result(dimensions);
        if (operation != "build") {
            minimise(a);
            minimise(b);
        }
        for (int run = 0, runs = 3; run < runs; run++) {
            C_Polyhedron left(operation == "build" ? make(first, dimensions) : a), right(b);
            auto start = std::chrono::steady_clock::now();
            apply(left, right);
            std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
            if (run == 0)
                runs += int(100000 / (time.count() + 5000));
            spent = run == 0 ? time.count() : std::min(spent, time.count());
            std::swap(result, left);
        }
        return result;
    }
};

struct Sum {
    size_t cases = 0, given_up = 0, different = 0, generators = 0;
    double ours = 0, theirs = 0;
};

int main() {
    std::map<std::tuple<std::string, size_t, std::string>, Sum> sums;
    std::string line;
    bool differ = false;
    signal(SIGALRM, give_up);
    while (std::getline(std::cin, line)) {
        Case random(line);
        Sum &sum = sums[{random.family, random.dimensions, random.operation}];
        sum.cases++;
        try {
            alarm(PATIENCE);
            double spent = 0;
            C_Polyhedron result = random.run(spent);
            bool different = result != make(random.expected, random.dimensions);
            alarm(0);
            sum.ours += random.time;
            sum.theirs += spent;
            for (auto at = result.generators().begin(); at != result.generators().end(); ++at)
                sum.generators++;
            if (different) {
                sum.different++;
                differ = true;
                std::cerr << "different: " << line << "\n";
            }
        } catch (const Slow &) {
            sum.given_up++;
        }
        abandon_expensive_computations = nullptr;
    }
    std::cout << "family dimensions operation cases given_up different generators ours_us ppl_us ratio\n";
    std::map<size_t, std::pair<double, double>> totals;
    for (auto &[key, sum] : sums) {
        auto &[family, dimensions, operation] = key;
        totals[dimensions].first += sum.ours;
        totals[dimensions].second += sum.theirs;
        double compared = double(std::max<size_t>(sum.cases - sum.given_up, 1));
        std::cout << family << " " << dimensions << " " << operation << " " << sum.cases << " " << sum.given_up << " "
                  << sum.different << " " << sum.generators / compared << " " << sum.ours / 1000 / compared << " "
                  << sum.theirs / 1000 / compared << " " << sum.theirs / sum.ours << "\n";
    }
    for (auto &[dimensions, total] : totals)
        std::cout << "all " << dimensions << " all - - - - " << total.first / 1000 << " " << total.second / 1000 << " "
                  << total.second / total.first << "\n";
    return differ;
}
